#include "cli/config_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "cli/nearest.h"
#include "cli/usage.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20;

// Flags that apply to one invocation and are not settings of a run.
const std::set<std::string> not_settings{"help", "config", "dump-config", "restart", "change"};

std::vector<std::string> setting_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (!not_settings.contains(name)) names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> values_of(const YAML::Node& node, const std::string& place) {
  if (node.IsScalar()) return {node.Scalar()};
  if (!node.IsSequence()) throw Error(fmt::format("{} must be a value or a list of values", place));
  std::vector<std::string> values;
  for (const YAML::Node& item : node) {
    if (!item.IsScalar()) throw Error(fmt::format("{} must be a list of plain values", place));
    values.push_back(item.Scalar());
  }
  return values;
}

void apply(CLI::App& command, const std::string& path, const YAML::Node& key_node, const YAML::Node& value,
           const std::function<bool(const std::string&)>& wanted) {
  const std::string& key = key_node.Scalar();
  const std::string place = fmt::format("'{}': line {}: '{}'", path, key_node.Mark().line + 1, key);
  if (not_settings.contains(key)) {
    throw Error(fmt::format("{} applies to one invocation and is not a setting; pass it on the command line", place));
  }
  const std::vector<std::string> names = setting_names(command);
  if (std::find(names.begin(), names.end(), key) == names.end()) {
    std::vector<std::string> flags;
    for (const std::string& name : names) flags.push_back(fmt::format("--{}", name));
    const std::string close = nearest_flag(fmt::format("--{}", key), flags);
    const std::string hint = close.empty() ? "" : fmt::format("; did you mean '{}'?", close.substr(2));
    throw Error(fmt::format("{} is unknown{}", place, hint));
  }
  CLI::Option* option = command.get_option(fmt::format("--{}", key));
  if (option->count() > 0 || value.IsNull() || !wanted(key)) return;
  try {
    for (const std::string& word : values_of(value, place)) option->add_result(word);
    option->run_callback();
  } catch (const CLI::Error& error) {
    throw Error(fmt::format("{}: {}", place, plain_words(error)));
  }
}

YAML::Node as_node(const std::vector<std::string>& values, bool list) {
  if (!list) return YAML::Node(values.back());
  YAML::Node node(YAML::NodeType::Sequence);
  for (const std::string& value : values) node.push_back(value);
  return node;
}

}  // namespace

void apply_config_file(CLI::App& command, const std::string& path,
                       const std::function<bool(const std::string&)>& wanted) {
  YAML::Node root;
  try {
    root = YAML::Load(read_file(path, {.most_bytes = largest_file, .pipes = true}));
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("'{}': line {}: not valid YAML ({})", path, error.mark.line + 1, error.msg));
  }
  if (root.IsNull()) return;
  if (!root.IsMap()) throw Error(fmt::format("'{}' must consist of 'name: value' lines", path));
  std::set<std::string> seen;
  for (const auto& entry : root) {
    if (!entry.first.IsScalar() || !seen.insert(entry.first.Scalar()).second) {
      throw Error(
          fmt::format("'{}': line {}: every name must be plain and occur once", path, entry.first.Mark().line + 1));
    }
    apply(command, path, entry.first, entry.second, wanted);
  }
}

std::set<std::string> given_settings(const CLI::App& command) {
  std::set<std::string> given;
  for (const std::string& name : setting_names(command)) {
    if (command.get_option(fmt::format("--{}", name))->count() > 0) given.insert(name);
  }
  return given;
}

std::string dump_config(const CLI::App& command, const Settings& resolved) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const std::string& name : setting_names(command)) {
    const CLI::Option* option = command.get_option(fmt::format("--{}", name));
    const auto known = resolved.find(name);
    if (known != resolved.end()) {
      out << YAML::Key << name << YAML::Value << as_node(known->second, option->get_items_expected_max() > 1);
    } else if (option->count() > 0) {
      out << YAML::Key << name << YAML::Value << as_node(option->results(), option->get_items_expected_max() > 1);
    } else if (!option->get_default_str().empty()) {
      out << YAML::Key << name << YAML::Value << option->get_default_str();
    }
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + '\n';
}

}  // namespace heed::cli
