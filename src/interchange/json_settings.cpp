#include "interchange/json_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/one_line.h"
#include "heed/error.h"

namespace heed::interchange {
namespace {

// Parsed JSON takes many times its size.
constexpr std::size_t largest = std::size_t{4} << 20;

std::string shown(const nlohmann::json& value) {
  return one_line(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

JsonSettings::JsonSettings(std::string_view text, std::string name) : name_(std::move(name)) {
  if (text.size() > largest) throw Error(fmt::format("'{}': too large for settings", name_));
  json_ = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json_.is_object()) throw Error(fmt::format("'{}': not a JSON object; fetch the file again", name_));
}

bool JsonSettings::has(const char* key) const {
  const auto found = json_.find(key);
  return found != json_.end() && !found->is_null();
}

std::string JsonSettings::text(const char* key, const std::string& fallback) const {
  if (!has(key)) return fallback;
  if (!value(key).is_string()) fail(key, "text");
  return value(key).get<std::string>();
}

Index JsonSettings::whole(const char* key, Index fallback) const {
  if (!has(key)) return fallback;
  const nlohmann::json& found = value(key);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  const bool fits = !found.is_number_unsigned() || found.get<std::uint64_t>() <= most;
  if (!found.is_number_integer() || !fits) fail(key, "a whole number");
  return found.get<Index>();
}

float JsonSettings::number(const char* key, float fallback) const {
  if (!has(key)) return fallback;
  if (!value(key).is_number()) fail(key, "a number");
  const auto found = value(key).get<double>();
  if (!std::isfinite(found) || std::abs(found) > static_cast<double>(std::numeric_limits<float>::max())) {
    fail(key, "a number of single precision");
  }
  return static_cast<float>(found);
}

bool JsonSettings::truth(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!value(key).is_boolean()) fail(key, "true or false");
  return value(key).get<bool>();
}

void JsonSettings::refuse(const char* key, const std::string& why) const {
  const auto found = json_.find(key);
  throw Error(fmt::format("'{}': {} is {}: {}", name_, key, found == json_.end() ? "missing" : shown(*found), why));
}

void JsonSettings::fail(const char* key, const char* kind) const {
  throw Error(fmt::format("'{}': {} is {}, not {}", name_, key, shown(value(key)), kind));
}

}  // namespace heed::interchange
