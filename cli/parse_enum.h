// An enumeration's value from the name that a flag gives.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heed/error.h"
#include "model/config.h"

namespace heed::cli {

// Throws SettingError with all names for one that is unknown.
template <class Enum>
Enum parse_enum(const char* field, const std::string& name) {
  const std::vector<std::string> names = names_of<Enum>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  throw SettingError(field, fmt::format("{} is '{}'; choose one of {}", field, name, fmt::join(names, ", ")));
}

}  // namespace heed::cli
