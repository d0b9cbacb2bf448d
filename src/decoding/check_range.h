// A number that a user chose, and its limits.
#pragma once

#include <fmt/format.h>

#include "heed/error.h"

namespace heed {

// Throws Error that names the option, its value and what would fit.
inline void check_range(const char* name, int value, int least, int most) {
  if (value < least || value > most) throw Error(fmt::format("{} is {}; choose {} to {}", name, value, least, most));
}

}  // namespace heed
