#include "kernels/int8.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/int8_vnni.h"
#include "kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int8.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/int8-inl.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Integers of a row in 16 bits, or with `offset` in 8 bits without a sign; missing inputs of the last group are 0.
// Returns the scale.
template <class T>
HWY_INLINE float QuantizeRow(const float* x, Index count, std::int32_t offset, T* to) {
  const F32 df;
  const hn::Rebind<T, F32> d;
  const float magnitude = LargestMagnitude(x, count);
  const VF factor = hn::Set(df, magnitude >= int8_smallest_magnitude ? 127.0f / magnitude : 0.0f);
  const VI32 plus = hn::Set(I32(), offset);
  // Within ±127: the factor is so much less than half above it that nothing rounds to 128.
  const auto integers = [&](VF v)
                            HWY_ATTR { return hn::DemoteTo(d, hn::Add(hn::NearestInt(hn::Mul(v, factor)), plus)); };
  const Index lanes = static_cast<Index>(hn::Lanes(df));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(integers(hn::LoadU(df, x + i)), d, to + i);
  if (i < count) {
    T rest[kMaxLanes];
    hn::StoreU(integers(Load(x + i, Part{count - i})), d, rest);
    std::copy_n(rest, std::min(lanes, round_up(count, int8_group_inputs) - i), to + i);
  }
  if (!std::isfinite(magnitude)) return std::numeric_limits<float>::quiet_NaN();
  return magnitude >= int8_smallest_magnitude ? magnitude / 127.0f : 0.0f;
}

void QuantizeSigned(Matrix<const float> x, Index first, Index count, const Int8Rows& to) {
  const Index bytes = int8_row_bytes(x.cols);
  for (Index i = first; i < first + count; ++i) {
    auto* row = reinterpret_cast<std::int16_t*>(to.data + i * bytes);
    to.scales[i] = QuantizeRow(x.row(i), x.cols, 0, row);
  }
}

void QuantizeUnsigned(Matrix<const float> x, Index first, Index count, const Int8Rows& to) {
  const Index bytes = int8_row_bytes(x.cols);
  for (Index i = first; i < first + count; ++i) {
    auto* row = reinterpret_cast<std::uint8_t*>(to.data + i * bytes);
    to.scales[i] = QuantizeRow(x.row(i), x.cols, vnni_zero_point, row);
  }
}

// The sums of one row are done before the next row begins: GCC would load all rows first and then lack registers for
// the sums, which cost 40 % of the speed.
HWY_INLINE void KeepInRegister(VI32& v) {
#if HWY_ARCH_X86
  asm volatile("" : "+x"(v.raw));
#else
  (void)v;
#endif
}

constexpr Index kPanelBytes = int8_panel_channels * int8_group_inputs;  // of one group
constexpr int kLanes = static_cast<int>(hn::MaxLanes(I16()));           // weights of one vector, widened to 16 bits
constexpr int kChannels = kLanes / int8_group_inputs;                   // of one vector
// Two sums for each channel of a vector: 12 vectors of sums, 2 of weights and 1 of x fill 16 registers. Few rows use
// more vectors of weights instead, so that a panel's lines are read once.
constexpr int kRowGroup = HWY_TARGET == HWY_AVX3 ? 12 : 6;
constexpr int kFewRows = HWY_TARGET == HWY_AVX3 ? 6 : 3;
constexpr int kVectors = 2;
constexpr int kFewRowsVectors = HWY_TARGET == HWY_AVX3 ? 2 : 4;

// y = sums · (scale of x · scales of the channels) + bias, for `cols` channels.
HWY_INLINE void Rescale(const std::int32_t* sums, float x_scale, const float* scales, const float* bias, Index cols,
                        float* y) {
  const F32 d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN float buffer[int8_panel_channels];
  float* to = cols == int8_panel_channels ? y : buffer;
  for (Index c = 0; c < int8_panel_channels; c += lanes) {
    const VF scale = hn::Mul(hn::Set(d, x_scale), hn::LoadU(d, scales + c));
    hn::StoreU(hn::Mul(hn::ConvertTo(d, hn::LoadU(I32(), sums + c)), scale), d, to + c);
  }
  if (to == buffer) std::copy_n(buffer, cols, y);
  if (bias == nullptr) return;
  if (cols < int8_panel_channels) {
    for (Index c = 0; c < cols; ++c) y[c] += bias[c];
    return;
  }
  for (Index c = 0; c < int8_panel_channels; c += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, y + c), hn::LoadU(d, bias + c)), d, y + c);
  }
}

// The sums of kRows rows of x and kCount vectors of channels, which begin at `panel`, to sums[row · 16 + channel].
// kAhead brings the next panel near, line by line: from the third-level cache or from memory it would come too late.
template <int kRows, int kCount, bool kAhead>
HWY_INLINE void MultiplyTile(const std::int16_t* HWY_RESTRICT x, Index x_row, const std::int8_t* HWY_RESTRICT panel,
                             Index groups, std::int32_t* HWY_RESTRICT sums) {
  const I16 d;
  const hn::Rebind<std::int8_t, I16> d8;
  const hn::Repartition<std::int64_t, I16> d64;
  VI32 acc[kRows][kCount];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kCount; ++v) acc[r][v] = hn::Zero(I32());
  }
  for (Index g = 0; g < groups; ++g) {
    if constexpr (kAhead) __builtin_prefetch(panel + (groups + g) * kPanelBytes, 0, 2);
    VI16 w[kCount];
    for (int v = 0; v < kCount; ++v) w[v] = hn::PromoteTo(d, hn::LoadU(d8, panel + g * kPanelBytes + v * kLanes));
    for (int r = 0; r < kRows; ++r) {
      std::int64_t four;
      std::memcpy(&four, x + r * x_row + g * int8_group_inputs, sizeof four);
      const VI16 xr = hn::BitCast(d, hn::Set(d64, four));
      for (int v = 0; v < kCount; ++v) {
        acc[r][v] = AddPairs(acc[r][v], xr, w[v]);
        KeepInRegister(acc[r][v]);
      }
    }
  }
  const I32 d32;
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kCount; v += 2) {
      const VI32 even = hn::ConcatEven(d32, acc[r][v + 1], acc[r][v]);
      const VI32 odd = hn::ConcatOdd(d32, acc[r][v + 1], acc[r][v]);
      hn::StoreU(hn::Add(even, odd), d32, sums + r * int8_panel_channels + v * kChannels);
    }
  }
}

template <int kRows, bool kFirst>
HWY_INLINE void MultiplyPanel(const std::int16_t* x, Index x_row, const std::int8_t* panel, Index groups,
                              std::int32_t* sums) {
  constexpr int kCount = kRows <= kFewRows ? kFewRowsVectors : kVectors;
  constexpr int kStep = kCount * kChannels;
  MultiplyTile<kRows, kCount, kFirst>(x, x_row, panel, groups, sums);
  for (int c = kStep; c < int8_panel_channels; c += kStep) {
    MultiplyTile<kRows, kCount, false>(x, x_row, panel + c * int8_group_inputs, groups, sums + c);
  }
}

// kFirst: these rows are the first to use the panel.
template <bool kFirst, int kRows = kRowGroup>
HWY_INLINE void MultiplyRows(Index rows, const std::int16_t* x, Index x_row, const std::int8_t* panel, Index groups,
                             std::int32_t* sums) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return MultiplyRows<kFirst, kRows - 1>(rows, x, x_row, panel, groups, sums);
  }
  MultiplyPanel<kRows, kFirst>(x, x_row, panel, groups, sums);
}

void MultiplySigned(const Int8Rows& x, const Int8Matrix& w, Index first, Index count, const float* bias,
                    Matrix<float> y) {
  const Index groups = divide_up(w.cols, int8_group_inputs);
  const Index row_bytes = int8_row_bytes(w.cols);
  HWY_ALIGN std::int32_t sums[kRowGroup * int8_panel_channels];
  for (Index p = first; p < first + count; ++p) {
    const Index channel = p * int8_panel_channels;
    const Index cols = std::min(int8_panel_channels, w.rows - channel);
    float* to = y.data + (p - first) * int8_panel_channels;
    for (Index i = 0; i < y.rows; i += kRowGroup) {
      const Index rows = std::min<Index>(kRowGroup, y.rows - i);
      const auto* from = reinterpret_cast<const std::int16_t*>(x.data + i * row_bytes);
      const std::int8_t* panel = w.panels + p * int8_panel_size(w.cols);
      if (i == 0) {
        MultiplyRows<true>(rows, from, row_bytes / 2, panel, groups, sums);
      } else {
        MultiplyRows<false>(rows, from, row_bytes / 2, panel, groups, sums);
      }
      for (Index r = 0; r < rows; ++r) {
        Rescale(sums + r * int8_panel_channels, x.scales[i + r], w.scales + channel,
                bias == nullptr ? nullptr : bias + channel, cols, to + (i + r) * y.stride);
      }
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(QuantizeSigned);
HWY_EXPORT(QuantizeUnsigned);
HWY_EXPORT(MultiplySigned);

Index int8_row_bytes(Index cols) noexcept {
  return has_vnni() ? vnni_row_bytes(cols) : round_up(2 * round_up(cols, int8_group_inputs), 64);
}

void quantize_rows(Matrix<const float> x, Index first, Index count, const Int8Rows& to) noexcept {
  if (has_vnni()) return HWY_DYNAMIC_DISPATCH(QuantizeUnsigned)(x, first, count, to);
  HWY_DYNAMIC_DISPATCH(QuantizeSigned)(x, first, count, to);
}

void multiply_int8(const Int8Rows& x, const Int8Matrix& weights, Index first, Index count, const float* bias,
                   Matrix<float> y) noexcept {
#if HWY_ARCH_X86
  if (has_vnni()) return multiply_avx512_vnni(x, weights, first, count, bias, y);
#endif
  HWY_DYNAMIC_DISPATCH(MultiplySigned)(x, weights, first, count, bias, y);
}

void quantize_panel(Matrix<const float> weights, std::int8_t* panel, std::int32_t* sums, float* scales) noexcept {
  std::fill_n(panel, int8_panel_size(weights.cols), std::int8_t{0});
  std::fill_n(sums, int8_panel_channels, 0);
  std::fill_n(scales, int8_panel_channels, 0.0f);
  for (Index c = 0; c < weights.rows; ++c) {
    float magnitude = 0.0f;
    for (const float w : weights.row_span(c)) magnitude = std::max(magnitude, std::abs(w));
    if (magnitude < int8_smallest_magnitude) continue;
    scales[c] = magnitude / 127.0f;
    for (Index k = 0; k < weights.cols; ++k) {
      const auto integer = static_cast<std::int32_t>(std::lround(weights(c, k) * (127.0f / magnitude)));
      const Index group = k / int8_group_inputs * int8_panel_channels * int8_group_inputs;
      panel[group + c * int8_group_inputs + k % int8_group_inputs] = static_cast<std::int8_t>(integer);
      sums[c] += integer;
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
