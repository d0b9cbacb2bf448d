// Numbers as people read them.
#pragma once

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

}  // namespace heed
