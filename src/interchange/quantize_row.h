// One row of weights in 8-bit integers, as heed's own quantisation has them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/int8.h"

namespace heed::interchange {

// Returns the scale.
inline float quantize_row(std::span<const float> row, std::int8_t* integers) {
  float magnitude = 0.0f;
  for (const float value : row) magnitude = std::max(magnitude, std::abs(value));
  const float factor = kernels::int8_factor(magnitude);
  for (std::size_t i = 0; i < row.size(); ++i) integers[i] = static_cast<std::int8_t>(std::nearbyint(row[i] * factor));
  return kernels::int8_scale(magnitude);
}

}  // namespace heed::interchange
