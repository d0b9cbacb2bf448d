// A command's settings in YAML, named like its flags. The command line takes precedence.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heed::cli {

using Settings = std::map<std::string, std::vector<std::string>>;

// Sets every flag that the file names and the command line does not, if `wanted` agrees. Throws Error for an invalid
// value and for an unknown key, with the nearest flag as a suggestion.
void apply_config_file(
    CLI::App& command, const std::string& path,
    const std::function<bool(const std::string&)>& wanted = [](const std::string&) { return true; });

// The names, without dashes, of this command's flags that have a value.
std::set<std::string> given_settings(const CLI::App& command);

// All effective settings as YAML that apply_config_file reads back. `resolved` holds values that are not set by their
// own flag, such as those of a preset.
std::string dump_config(const CLI::App& command, const Settings& resolved);

}  // namespace heed::cli
