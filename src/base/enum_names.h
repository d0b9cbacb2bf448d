// The names of enum values in flags and files.
//
// They are listed once, next to the enum, in the order of its values, which start from 0:
//     template <> struct EnumNames<Norm> { static constexpr std::array names{"after", "before"}; };
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "heed/error.h"

namespace heed {

template <class Enum>
struct EnumNames;

template <class Enum>
concept NamedEnum = requires {
  EnumNames<Enum>::names;
};

template <NamedEnum Enum>
std::string name_of(Enum value) {
  return EnumNames<Enum>::names[static_cast<std::size_t>(value)];
}

template <NamedEnum Enum>
std::optional<Enum> find_name(std::string_view name) {
  constexpr auto& names = EnumNames<Enum>::names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

// Throws SettingError that lists the valid names for an unknown one.
template <NamedEnum Enum>
Enum from_name(const char* setting, std::string_view name) {
  if (const auto found = find_name<Enum>(name)) return *found;
  throw SettingError(
      setting, fmt::format("{} is '{}'; choose one of {}", setting, name, fmt::join(EnumNames<Enum>::names, ", ")));
}

}  // namespace heed
