// The inner loop of the 8-bit product with dot products of unsigned by signed bytes (VNNI).
//
// x is stored with 128 added, so that it is unsigned; 128 times a channel's sum is subtracted again. The loop is a
// template over the vector type, so that tests can run it where the instructions are missing. Include this last, where
// the compiler may use those instructions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/int8_vnni.h"

namespace heed::kernels {

// Rows at a time: 8 · 2 accumulators, 2 vectors of weights and 1 of x fit the 32 registers, with enough accumulators to
// hide the latency of an instruction.
constexpr int vnni_row_group = 8;

// Some rows of x and some panels of the weights, with the scales and biases of their results.
struct VnniTile {
  const std::uint8_t* x;
  Index row_bytes;
  const float* x_scales;
  const std::int8_t* panel;
  Index panel_bytes;
  Index groups;
  const std::int32_t* channel_sums;
  const float* channel_scales;
  const float* bias;  // of these channels, or null
  float* y;
  Index y_stride;
  Index cols;                // channels of the last panel
  const std::int8_t* ahead;  // what will be read next: a part of it is prefetched with every group
  Index ahead_step;
};

// y of kRows rows and kPanels panels. `Vector` holds 16 sums and provides start(sums of the channels): minus the zero
// point's share; bytes(64 bytes), repeated(4 bytes), add_dot(sums, unsigned bytes, signed bytes), and rescale(sums,
// scale of x, scales of the channels, bias or null, channels, to).
template <class Vector, int kRows, int kPanels>
inline __attribute__((always_inline)) void multiply_vnni_tile(const VnniTile& tile) {
  typename Vector::Type acc[kRows][kPanels];
  for (int p = 0; p < kPanels; ++p) {
    const auto start = Vector::start(tile.channel_sums + p * int8_panel_channels);
    for (int r = 0; r < kRows; ++r) acc[r][p] = start;
  }
  const std::int8_t* ahead = tile.ahead;
  for (Index g = 0; g < tile.groups; ++g, ahead += tile.ahead_step) {
    __builtin_prefetch(ahead, 0, 2);
    typename Vector::Type w[kPanels];
    for (int p = 0; p < kPanels; ++p) w[p] = Vector::bytes(tile.panel + p * tile.panel_bytes + g * 64);
    for (int r = 0; r < kRows; ++r) {
      const auto xr = Vector::repeated(tile.x + r * tile.row_bytes + g * int8_group_inputs);
      for (int p = 0; p < kPanels; ++p) acc[r][p] = Vector::add_dot(acc[r][p], xr, w[p]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int p = 0; p < kPanels; ++p) {
      const Index channel = p * int8_panel_channels;
      Vector::rescale(acc[r][p], tile.x_scales[r], tile.channel_scales + channel,
                      tile.bias == nullptr ? nullptr : tile.bias + channel,
                      p + 1 == kPanels ? tile.cols : int8_panel_channels, tile.y + r * tile.y_stride + channel);
    }
  }
}

template <class Vector, int kPanels, int kRows = vnni_row_group>
inline __attribute__((always_inline)) void multiply_vnni_rows(Index rows, const VnniTile& tile) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return multiply_vnni_rows<Vector, kPanels, kRows - 1>(rows, tile);
  }
  multiply_vnni_tile<Vector, kRows, kPanels>(tile);
}

// As multiply_int8. While the rows go through one pair of panels, the next pair is prefetched into the L2 cache, a
// share of it with each group of rows: on demand it would come from memory too late.
template <class Vector>
inline __attribute__((always_inline)) void multiply_vnni_panels(const Int8Rows& x, const Int8Matrix& w, Index first,
                                                                Index count, const float* bias, Matrix<float> y) {
  const Index groups = divide_up(w.cols, int8_group_inputs);
  const Index row_bytes = vnni_row_bytes(w.cols);
  const Index panel_bytes = int8_panel_size(w.cols);
  const Index row_groups = divide_up(y.rows, vnni_row_group);
  for (Index p = first; p < first + count; p += 2) {
    const Index panels = std::min<Index>(2, first + count - p);
    const Index channel = p * int8_panel_channels;
    const std::int8_t* panel = w.panels + p * panel_bytes;
    // Of the next pair, per group of rows and group of inputs; a line is prefetched more than once.
    const Index step = divide_up(panels * 64, row_groups);
    for (Index i = 0; i < y.rows; i += vnni_row_group) {
      const VnniTile tile{.x = reinterpret_cast<const std::uint8_t*>(x.data + i * row_bytes),
                          .row_bytes = row_bytes,
                          .x_scales = x.scales + i,
                          .panel = panel,
                          .panel_bytes = panel_bytes,
                          .groups = groups,
                          .channel_sums = w.sums + channel,
                          .channel_scales = w.scales + channel,
                          .bias = bias == nullptr ? nullptr : bias + channel,
                          .y = y.row(i) + (p - first) * int8_panel_channels,
                          .y_stride = y.stride,
                          .cols = std::min(int8_panel_channels, w.rows - channel - (panels - 1) * int8_panel_channels),
                          .ahead = panel + panels * panel_bytes + i / vnni_row_group * step * groups,
                          .ahead_step = step};
      const Index rows = std::min<Index>(vnni_row_group, y.rows - i);
      if (panels == 2) {
        multiply_vnni_rows<Vector, 2>(rows, tile);
      } else {
        multiply_vnni_rows<Vector, 1>(rows, tile);
      }
    }
  }
}

}  // namespace heed::kernels
