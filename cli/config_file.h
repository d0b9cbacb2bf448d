// A command's settings in YAML, under the names of its flags. What the command line gives wins.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heed::cli {

using Settings = std::map<std::string, std::vector<std::string>>;

// Sets every flag that the file names and the command line does not, if `wanted` agrees. Throws Error for a key that is
// no flag, with the nearest that is one, and for a value that does not fit.
void apply_config_file(
    CLI::App& command, const std::string& path,
    const std::function<bool(const std::string&)>& wanted = [](const std::string&) { return true; });

// The flags of this command that have a value, by their names without the dashes.
std::set<std::string> given_settings(const CLI::App& command);

// All settings in force as YAML that apply_config_file reads back. `resolved` holds values that a flag alone does not
// tell, such as those of a preset.
std::string dump_config(const CLI::App& command, const Settings& resolved);

}  // namespace heed::cli
