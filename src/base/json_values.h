// Strict access to values in JSON that may be hostile.
//
// The JSON library converts any number to the requested type: −1 to a huge size, true to 1, and 1e99 to an undefined
// value. Here only an integer within 64 bits is a whole number. A missing value or one of the wrong type throws Error
// that names it, its value and the expected type.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/index.h"
#include "base/one_line.h"
#include "heed/error.h"

namespace heed {

[[noreturn]] inline void refuse_value(const nlohmann::json& value, const std::string& name, const char* fitting) {
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  throw Error(fmt::format("{} is {}; give {}", name, one_line(text), fitting));
}

inline Index whole_number(const nlohmann::json& value, const std::string& name) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > most)) {
    refuse_value(value, name, "a whole number");
  }
  return value.get<Index>();
}

// The member of `object` with this name.
inline const nlohmann::json& value_at(const nlohmann::json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (found == object.end()) throw Error(fmt::format("{} is missing", name));
  return *found;
}

inline Index whole_number_at(const nlohmann::json& object, const char* name) {
  return whole_number(value_at(object, name), name);
}
inline std::vector<Index> whole_numbers_at(const nlohmann::json& object, const char* name) {
  const nlohmann::json& list = value_at(object, name);
  if (!list.is_array()) refuse_value(list, name, "a list of whole numbers");
  std::vector<Index> numbers;
  for (const nlohmann::json& value : list) numbers.push_back(whole_number(value, name));
  return numbers;
}
inline double number_at(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = value_at(object, name);
  if (!value.is_number()) refuse_value(value, name, "a number");
  return value.get<double>();
}
inline bool truth_at(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = value_at(object, name);
  if (!value.is_boolean()) refuse_value(value, name, "true or false");
  return value.get<bool>();
}
inline std::string text_at(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = value_at(object, name);
  if (!value.is_string()) refuse_value(value, name, "a text in quotes");
  return value.get<std::string>();
}

}  // namespace heed
