// Winograd's inner product in 8-bit integers: the layout of a row of x. See int8_crossed-inl.h.
#pragma once

#include "kernels/int8.h"

namespace heed::kernels {

// Each group of 4 inputs as 0, 2, 1, 3 in 16 bits, padded with zeros to whole lines of 64 bytes; then, in a line of its
// own, the sum of x₀x₁ + x₂x₃ in 32 bits.
constexpr Index crossed_sum_at(Index cols) { return round_up(2 * cols, 64); }
constexpr Index crossed_row_bytes(Index cols) { return crossed_sum_at(cols) + 64; }

}  // namespace heed::kernels
