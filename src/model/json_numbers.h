// Whole numbers in JSON that may be hostile.
//
// The library converts any number that it finds to the type that is asked for: −1 to a huge size, true to 1, and 1e99
// to whatever the processor makes of it. Here only a whole number within 64 bits is one.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/index.h"
#include "heed/error.h"

namespace heed {

inline Index whole_number(const nlohmann::json& value, const std::string& name) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > most)) {
    throw Error(fmt::format("{} is no whole number", name));
  }
  return value.get<Index>();
}

// The number, or the numbers, that `object` holds under this name.
inline Index whole_number_at(const nlohmann::json& object, const char* name) {
  return whole_number(object.at(name), name);
}
inline std::vector<Index> whole_numbers_at(const nlohmann::json& object, const char* name) {
  if (!object.at(name).is_array()) throw Error(fmt::format("{} is no list", name));
  std::vector<Index> numbers;
  for (const nlohmann::json& value : object.at(name)) numbers.push_back(whole_number(value, name));
  return numbers;
}

}  // namespace heed
