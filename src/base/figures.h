// Human-readable numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>

#include "base/index.h"

namespace heed {

// "437,766"
inline std::string with_commas(Index value) {
  std::string digits = std::to_string(value);
  for (auto i = static_cast<Index>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

inline double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }

// The noun for a count: "thread" for 1, else "threads"; pass `many` for an irregular plural.
inline std::string plural(std::integral auto count, const std::string& one, const std::string& many = "") {
  if (count == 1) return one;
  return many.empty() ? one + "s" : many;
}

// "1 thread", "2 threads"
inline std::string counted(std::integral auto count, const std::string& one, const std::string& many = "") {
  return std::to_string(count) + " " + plural(count, one, many);
}

}  // namespace heed
