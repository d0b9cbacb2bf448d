// Range checks of numbers that a user chose.
#pragma once

#include <fmt/format.h>

#include <limits>

#include "heed/error.h"

namespace heed {

// Throws SettingError that names the setting, its value and the valid range. NaN is never valid.
template <class T>
void check_range(const char* name, T value, T least, T most) {
  if (value >= least && value <= most) return;
  throw SettingError(name, fmt::format("{} is {}; choose {} to {}", name, value, least, most));
}

template <class T>
void check_least(const char* name, T value, T least) {
  if (value >= least && value <= std::numeric_limits<T>::max()) return;
  throw SettingError(name, fmt::format("{} is {}; choose {} or more", name, value, least));
}

// A rate or a probability.
template <class T>
void check_below_one(const char* name, T value) {
  if (value >= T{0} && value < T{1}) return;
  throw SettingError(name, fmt::format("{} is {}; choose at least 0 and below 1", name, value));
}

}  // namespace heed
