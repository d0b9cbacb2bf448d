#include "interchange/yaml_settings.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>

#include "heed/error.h"
#include "interchange/shown.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

// Parsed YAML takes many times its size.
constexpr std::size_t largest_text = std::size_t{1} << 16;

std::vector<std::string> values_of(const YAML::Node& node) {
  std::vector<std::string> values;
  if (node.IsScalar()) values.push_back(node.Scalar());
  if (!node.IsSequence()) return values;
  for (const YAML::Node& item : node) {
    if (item.IsScalar()) values.push_back(item.Scalar());
  }
  return values;
}

template <class T>
bool parse(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end;
}

}  // namespace

YamlSettings::YamlSettings(const std::string& text, const std::string& name) : name_(name) {
  if (text.size() > largest_text) {
    throw Error(fmt::format("'{}': {} bytes are too many for settings; pass the right file", name, text.size()));
  }
  if (find_invalid_utf8(text)) throw Error(fmt::format("'{}': the settings are not UTF-8; fetch them again", name));
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) throw Error(fmt::format("'{}': there are no settings in it; pass the right file", name));
    for (const auto& entry : root) {
      if (!entry.first.IsScalar() || entry.second.IsMap() || entry.second.IsNull()) continue;
      if (!values_.emplace(entry.first.Scalar(), values_of(entry.second)).second) {
        throw Error(fmt::format("'{}': '{}' appears twice", name, shown(entry.first.Scalar())));
      }
    }
  } catch (const YAML::Exception& error) {
    throw Error(
        fmt::format("'{}': line {}: not YAML ({}); fetch it again", name, error.mark.line + 1, shown(error.msg)));
  }
}

const std::string* YamlSettings::find(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return nullptr;
  if (found->second.size() != 1) fail(key, "a single value");
  return &found->second[0];
}

void YamlSettings::fail(const std::string& key, const char* kind) const {
  const std::string value = fmt::format("{}", fmt::join(list(key), ", "));
  throw Error(fmt::format("'{}': {} is '{}', which is not {}", name_, key, shown(value), kind));
}

void YamlSettings::refuse(const std::string& key, const std::string& why) const {
  const auto found = values_.find(key);
  const std::string value = found == values_.end() ? "" : fmt::format("{}", fmt::join(found->second, " "));
  throw Error(fmt::format("'{}': {} is '{}'; {}", name_, key, shown(value), why));
}

std::string YamlSettings::text(const std::string& key, const std::string& fallback) const {
  const std::string* value = find(key);
  return value == nullptr ? fallback : *value;
}

Index YamlSettings::whole(const std::string& key, Index fallback) const {
  const std::string* value = find(key);
  if (value != nullptr && !parse(*value, fallback)) fail(key, "a whole number");
  return fallback;
}

float YamlSettings::number(const std::string& key, float fallback) const {
  const std::string* value = find(key);
  if (value != nullptr && !parse(*value, fallback)) fail(key, "a number");
  return fallback;
}

bool YamlSettings::truth(const std::string& key, bool fallback) const {
  const std::string* value = find(key);
  if (value == nullptr) return fallback;
  if (*value != "true" && *value != "false") fail(key, "true or false");
  return *value == "true";
}

std::vector<std::string> YamlSettings::list(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace heed::interchange
