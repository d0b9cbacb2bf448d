#include "kernels/int8.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/int8_crossed.h"
#include "kernels/int8_vnni.h"
#include "kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int8.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/int8_crossed-inl.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Integers of a row; missing ones of the last group are 0. Returns the scale.
HWY_INLINE float QuantizeRow(const float* x, Index count, std::int16_t* to) {
  const F32 df;
  const hn::Rebind<std::int16_t, F32> d;
  const float magnitude = LargestMagnitude(x, count);
  const VF factor = hn::Set(df, int8_factor(magnitude));
  const auto integers = [&](VF v) HWY_ATTR { return hn::DemoteTo(d, hn::NearestInt(hn::Mul(v, factor))); };
  const Index lanes = static_cast<Index>(hn::Lanes(df));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(integers(hn::LoadU(df, x + i)), d, to + i);
  if (i < count) {
    std::int16_t rest[kMaxLanes];
    hn::StoreU(integers(Load(x + i, Part{count - i})), d, rest);
    std::copy_n(rest, std::min(lanes, round_up(count, int8_group_inputs) - i), to + i);
  }
  return int8_scale(magnitude);
}

void QuantizeCrossed(Matrix<const float> x, Index first, Index count, const Int8Rows& to) {
  const Index bytes = int8_row_bytes(x.cols);
  for (Index i = first; i < first + count; ++i) {
    auto* row = reinterpret_cast<std::int16_t*>(to.data + i * bytes);
    const Index end = crossed_sum_at(x.cols) / 2;
    std::fill(row + x.cols, row + end, std::int16_t{0});
    to.scales[i] = QuantizeRow(x.row(i), x.cols, row);
    const std::int32_t sum = CrossRow(row, end);
    std::memcpy(row + end, &sum, sizeof sum);
  }
}

void MultiplyCrossed(const Int8Rows& x, const Int8Matrix& w, Index first, Index count, const float* bias,
                     Matrix<float> y) {
  const Index groups = divide_up(w.cols, int8_group_inputs);
  const Index row_bytes = int8_row_bytes(w.cols);
  HWY_ALIGN std::int32_t sums[kBlockRows * int8_panel_channels];
  HWY_ALIGN std::int32_t channel_sums[int8_panel_channels];
  for (Index p = first; p < first + count; ++p) {
    const Index channel = p * int8_panel_channels;
    const Index cols = std::min(int8_panel_channels, w.rows - channel);
    float* to = y.data + (p - first) * int8_panel_channels;
    for (Index i = 0; i < y.rows; i += kBlockRows) {
      const Index rows = std::min(kBlockRows, y.rows - i);
      const std::byte* from = x.data + i * row_bytes;
      SumPanel(from, row_bytes, rows, w.panels + p * int8_panel_size(w.cols), groups, sums, channel_sums);
      for (Index r = 0; r < rows; ++r) {
        std::int32_t row_sum = 0;
        if (!IsPlain(rows)) std::memcpy(&row_sum, from + r * row_bytes + crossed_sum_at(w.cols), sizeof row_sum);
        Rescale(sums + r * int8_panel_channels, row_sum, channel_sums, x.scales[i + r], w.scales + channel,
                bias == nullptr ? nullptr : bias + channel, cols, to + (i + r) * y.stride);
      }
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(QuantizeCrossed);
HWY_EXPORT(MultiplyCrossed);

Index int8_row_bytes(Index cols) noexcept { return has_vnni() ? vnni_row_bytes(cols) : crossed_row_bytes(cols); }

void quantize_rows(Matrix<const float> x, Index first, Index count, const Int8Rows& to) noexcept {
#if HWY_ARCH_X86
  if (has_vnni()) return quantize_avx512_vnni(x, first, count, to);
#endif
  HWY_DYNAMIC_DISPATCH(QuantizeCrossed)(x, first, count, to);
}

void multiply_int8(const Int8Rows& x, const Int8Matrix& weights, Index first, Index count, const float* bias,
                   Matrix<float> y) noexcept {
#if HWY_ARCH_X86
  if (has_vnni()) return multiply_avx512_vnni(x, weights, first, count, bias, y);
#endif
  HWY_DYNAMIC_DISPATCH(MultiplyCrossed)(x, weights, first, count, bias, y);
}

float int8_factor(float magnitude) noexcept { return magnitude >= int8_smallest_magnitude ? 127.0f / magnitude : 0.0f; }

float int8_scale(float magnitude) noexcept {
  if (!std::isfinite(magnitude)) return std::numeric_limits<float>::quiet_NaN();
  return magnitude >= int8_smallest_magnitude ? magnitude / 127.0f : 0.0f;
}

void quantize_panel(Matrix<const float> weights, std::int8_t* panel, std::int32_t* sums, float* scales) noexcept {
  std::fill_n(panel, int8_panel_size(weights.cols), std::int8_t{0});
  std::fill_n(sums, int8_panel_channels, 0);
  std::fill_n(scales, int8_panel_channels, 0.0f);
  for (Index c = 0; c < weights.rows; ++c) {
    float magnitude = 0.0f;
    for (const float w : weights.row_span(c)) magnitude = std::max(magnitude, std::abs(w));
    scales[c] = int8_scale(magnitude);
    const float factor = int8_factor(magnitude);
    for (Index k = 0; k < weights.cols; ++k) {
      const auto integer = static_cast<std::int32_t>(std::lround(weights(c, k) * factor));
      const Index group = k / int8_group_inputs * int8_panel_channels * int8_group_inputs;
      panel[group + c * int8_group_inputs + k % int8_group_inputs] = static_cast<std::int8_t>(integer);
      sums[c] += integer;
    }
  }
}

void gather_channels(const Int8Matrix& weights, std::span<const int> channels, std::int8_t* panels, std::int32_t* sums,
                     float* scales) noexcept {
  const Index size = int8_panel_size(weights.cols);
  const Index count = static_cast<Index>(channels.size());
  for (Index first = 0; first < count; first += int8_panel_channels, panels += size) {
    const std::int8_t* from[int8_panel_channels];
    const Index present = std::min(int8_panel_channels, count - first);
    for (Index c = 0; c < int8_panel_channels; ++c) {
      // Missing channels are copies of the first; nobody reads their sums.
      const Index channel = channels[static_cast<std::size_t>(c < present ? first + c : first)];
      from[c] =
          weights.panels + channel / int8_panel_channels * size + channel % int8_panel_channels * int8_group_inputs;
      sums[first + c] = weights.sums[channel];
      scales[first + c] = weights.scales[channel];
    }
    for (Index group = 0; group < size; group += int8_panel_channels * int8_group_inputs) {
      for (Index c = 0; c < int8_panel_channels; ++c) {
        std::memcpy(panels + group + c * int8_group_inputs, from[c] + group, int8_group_inputs);
      }
    }
  }
}

void dequantize_channel(const Int8Matrix& weights, Index channel, std::span<float> row) noexcept {
  const Index within = channel % int8_panel_channels;
  const std::int8_t* from =
      weights.panels + channel / int8_panel_channels * int8_panel_size(weights.cols) + within * int8_group_inputs;
  const float scale = weights.scales[channel];
  for (Index k = 0; k < weights.cols; ++k) {
    const Index group = k / int8_group_inputs * int8_panel_channels * int8_group_inputs;
    row[static_cast<std::size_t>(k)] = scale * static_cast<float>(from[group + k % int8_group_inputs]);
  }
}

}  // namespace heed::kernels
#endif
