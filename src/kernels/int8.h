// 8-bit integer matrix products for inference: y = x · Wᵀ with exact sums.
//
// A weight is integer · scale of its output channel, a number of x is integer · scale of its row, the integers within
// ±127. A sum of their products fits 32 bits and has no rounding, so it is the same in any order: neither the other
// rows nor the instruction set can change it. Depth is at most int8_most_depth.
#pragma once

#include <cstdint>

#include "tensor/matrix.h"

namespace heed::kernels {

// The one layout that every instruction set reads in place: panels of 16 output channels, in each of them groups of 4
// inputs, in each of those 4 integers for channel 0, 4 for channel 1 … Missing channels and inputs are 0.
constexpr Index int8_panel_channels = 16;
constexpr Index int8_group_inputs = 4;
constexpr Index int8_most_depth = 131072;  // · 127² < 2³¹
// Rows and channels with nothing larger count as 0: 127 divided by less might overflow.
constexpr float int8_smallest_magnitude = 1e-36f;

// For numbers up to this magnitude: the factor that makes them integers within ±127, and the scale that turns those
// back into numbers. Rounding puts the factor so little above 127 / magnitude that nothing becomes 128.
float int8_factor(float magnitude) noexcept;
float int8_scale(float magnitude) noexcept;

struct Int8Matrix {
  const std::int8_t* panels = nullptr;
  const std::int32_t* sums = nullptr;  // of each channel's integers, padded to whole panels
  const float* scales = nullptr;       // of each channel, likewise
  Index rows = 0;                      // output channels
  Index cols = 0;                      // inputs

  Index panel_count() const { return divide_up(rows, int8_panel_channels); }
};

// Bytes of a panel, and of all of them.
constexpr Index int8_panel_size(Index cols) {
  return int8_panel_channels * int8_group_inputs * divide_up(cols, int8_group_inputs);
}
constexpr Index int8_panels_size(Index rows, Index cols) {
  return divide_up(rows, int8_panel_channels) * int8_panel_size(cols);
}

// Makes one panel of at most 16 rows of weights.
void quantize_panel(Matrix<const float> weights, std::int8_t* panel, std::int32_t* sums, float* scales) noexcept;

// Copies some channels, in this order, into panels of their own: `panels`, `sums` and `scales` have room for whole
// ones.
void gather_channels(const Int8Matrix& weights, std::span<const int> channels, std::int8_t* panels, std::int32_t* sums,
                     float* scales) noexcept;

// row = the weights of one channel, dequantised.
void dequantize_channel(const Int8Matrix& weights, Index channel, std::span<float> row) noexcept;

// Rows of x in the layout that the product of this instruction set reads.
struct Int8Rows {
  std::byte* data = nullptr;  // int8_row_bytes() for each row, aligned to 64 bytes
  float* scales = nullptr;    // of each row
};
Index int8_row_bytes(Index cols) noexcept;
// A row with NaN or infinity gets the scale NaN, so its products are NaN, too.
void quantize_rows(Matrix<const float> x, Index first, Index count, const Int8Rows& to) noexcept;

// y (rows of x, channels) = x · Wᵀ + bias for the channels of panels [first, first + count), which are columns 0, 1 …
// of y. The bias is that of all channels of W, or null.
void multiply_int8(const Int8Rows& x, const Int8Matrix& weights, Index first, Index count, const float* bias,
                   Matrix<float> y) noexcept;

}  // namespace heed::kernels
