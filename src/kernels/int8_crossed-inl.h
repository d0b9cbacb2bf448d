// The inner loop of the 8-bit product on instruction sets without a dot product of bytes.
//
// Winograd's inner product (S. Winograd, 1968) computes two products with one multiplication:
//
//   (x₀ + w₁)(x₁ + w₀) = x₀w₀ + x₁w₁ + x₀x₁ + w₁w₀
//
// The last two terms depend only on the row and only on the channel, so they are summed once and subtracted at the end.
// A vector of 16-bit integers then needs one multiplication where the plain sum needs two, and additions run on twice
// as many units: on AVX2 101 G multiply-adds/s instead of 80. Sums wrap around at 32 bits, which is harmless: the final
// difference fits.
#if defined(HEED_KERNELS_INT8_CROSSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_INT8_CROSSED_INL_H
#undef HEED_KERNELS_INT8_CROSSED_INL_H
#else
#define HEED_KERNELS_INT8_CROSSED_INL_H
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/int8-inl.h"
#include "kernels/int8_crossed.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Channels of one vector: 4 inputs each, in two vectors of 16 bits.
constexpr Index kChannels = static_cast<Index>(hn::MaxLanes(I32()));
constexpr Index kVectors = kChannels < int8_panel_channels ? 2 : 1;
constexpr Index kPart = kVectors * kChannels;  // channels of a tile
constexpr Index kLanes = 2 * kChannels;
constexpr Index kVectorBytes = 2 * kLanes;
// Rows of a tile: 4 · 2 accumulators, 4 vectors of weights and 4 temporaries fill 16 registers.
constexpr int kTileRows = 4;
// A part of a panel is widened to 16 bits once for all rows of a block: 16 kB, half of the L1 cache.
constexpr Index kBlockRows = 96;
constexpr Index kBlockGroups = 128;

// Permutes a row of integers, `count` of them in whole lines, into the order of int8_crossed.h and returns its own
// term.
HWY_INLINE std::int32_t CrossRow(std::int16_t* row, Index count) {
  const I16 d;
  const I32 d32;
  const hn::Repartition<std::uint8_t, I16> d8;
  alignas(16) static constexpr std::uint8_t order[16] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  const auto swap = hn::LoadDup128(d8, order);
  VI32 sum = hn::Zero(d32);
  for (Index i = 0; i < count; i += static_cast<Index>(hn::Lanes(d))) {
    const VI16 x = hn::Load(d, row + i);
    const VI32 even = hn::And(hn::BitCast(d32, x), hn::Set(d32, 0xffff));
    sum = AddPairs(sum, hn::BitCast(d, even), hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(d32, x))));
    hn::Store(hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, x), swap)), d, row + i);
  }
  return hn::GetLane(hn::SumOfLanes(d32, sum));
}

// Weights of one group and kPart channels: inputs 1 and 3 of each channel, and 0 and 2.
struct Weights {
  VI16 odd, even, second_odd, second_even;
};

struct Sums {
  VI32 first, second;
};

HWY_INLINE VI16 Odd(VI16 bytes) { return hn::ShiftRight<8>(bytes); }
HWY_INLINE VI16 Even(VI16 bytes) { return hn::ShiftRight<8>(hn::ShiftLeft<8>(bytes)); }
HWY_INLINE VI16 LoadBytes(const std::int8_t* from) {
  return hn::BitCast(I16(), hn::LoadU(hn::Repartition<std::int8_t, I16>(), from));
}

// Where a tile reads its weights from: a panel as stored, for few rows, with plain products …
struct PanelBytes {
  const std::int8_t* at;
  Index panel_bytes;

  HWY_INLINE Weights Next() {
    // The same place in the next panel: on demand it would come from memory too late.
    __builtin_prefetch(at + panel_bytes, 0, 2);
    const VI16 first = LoadBytes(at);
    const VI16 second = LoadBytes(at + (kVectors - 1) * kVectorBytes);
    at += int8_panel_channels * int8_group_inputs;
    return {Odd(first), Even(first), Odd(second), Even(second)};
  }
  static HWY_INLINE VI32 Products(VI16 even, VI16 odd, VI16 w_even, VI16 w_odd) {
    return AddPairs(AddPairs(hn::Zero(I32()), even, w_even), odd, w_odd);
  }
};

// … or one widened by WidenPanel, with crossed products.
struct WidePanel {
  const std::int16_t* at;

  HWY_INLINE Weights Next() {
    const I16 d;
    const std::int16_t* second = at + (kVectors - 1) * kVectorBytes;
    const Weights w{hn::Load(d, at), hn::Load(d, at + kLanes), hn::Load(d, second), hn::Load(d, second + kLanes)};
    at += kVectors * kVectorBytes;
    return w;
  }
  static HWY_INLINE VI32 Products(VI16 even, VI16 odd, VI16 w_even, VI16 w_odd) {
    return AddPairs(hn::Zero(I32()), hn::Add(even, w_odd), hn::Add(odd, w_even));
  }
};

HWY_INLINE VI16 RepeatPair(const std::int16_t* from) {
  std::int32_t pair;
  std::memcpy(&pair, from, sizeof pair);
  return hn::BitCast(I16(), hn::Set(I32(), pair));
}

// Inline assembly on x86: GCC 12 would move the additions and then run out of registers for the sums.
HWY_INLINE void AddTo(VI32& sums, VI32 more) {
#if HWY_ARCH_X86
#if HWY_TARGET == HWY_SSE4
  asm("paddd %1, %0" : "+x"(sums.raw) : "x"(more.raw));
#else
  asm("vpaddd %1, %0, %0" : "+v"(sums.raw) : "v"(more.raw));
#endif
#else
  sums = hn::Add(sums, more);
#endif
}

template <class Panel>
HWY_INLINE void AddRow(const std::int16_t* x, const Weights& w, Sums& sums) {
  const VI16 even = RepeatPair(x);
  const VI16 odd = RepeatPair(x + 2);
  AddTo(sums.first, Panel::Products(even, odd, w.even, w.odd));
  if constexpr (kVectors == 2) AddTo(sums.second, Panel::Products(even, odd, w.second_even, w.second_odd));
}

HWY_INLINE Sums LoadSums(const std::int32_t* from) {
  const I32 d;
  return {hn::LoadU(d, from), kVectors == 2 ? hn::LoadU(d, from + (kVectors - 1) * kChannels) : hn::Zero(d)};
}

HWY_INLINE void StoreSums(const Sums& sums, std::int32_t* to) {
  hn::StoreU(sums.first, I32(), to);
  if constexpr (kVectors == 2) hn::StoreU(sums.second, I32(), to + kChannels);
}

// sums[row · 16 + channel] += products of kRows rows of x and kPart channels. The sums are separate variables, not an
// array, so that they stay in registers.
template <int kRows, class Panel>
HWY_INLINE void MultiplyTile(const std::int16_t* HWY_RESTRICT x, Index x_row, Panel panel, Index groups,
                             std::int32_t* HWY_RESTRICT sums) {
  static_assert(kRows <= kTileRows && kTileRows == 4);
  const auto row_sums = [&](Index r) HWY_ATTR { return LoadSums(sums + (r < kRows ? r : 0) * int8_panel_channels); };
  Sums sums0 = row_sums(0), sums1 = row_sums(1), sums2 = row_sums(2), sums3 = row_sums(3);
  for (Index g = 0; g < groups; ++g, x += int8_group_inputs) {
    const Weights w = panel.Next();
    AddRow<Panel>(x, w, sums0);
    if constexpr (kRows > 1) AddRow<Panel>(x + x_row, w, sums1);
    if constexpr (kRows > 2) AddRow<Panel>(x + 2 * x_row, w, sums2);
    if constexpr (kRows > 3) AddRow<Panel>(x + 3 * x_row, w, sums3);
  }
  StoreSums(sums0, sums);
  if constexpr (kRows > 1) StoreSums(sums1, sums + int8_panel_channels);
  if constexpr (kRows > 2) StoreSums(sums2, sums + 2 * int8_panel_channels);
  if constexpr (kRows > 3) StoreSums(sums3, sums + 3 * int8_panel_channels);
}

template <class Panel, int kRows = kTileRows>
HWY_INLINE void MultiplyRows(Index rows, const std::int16_t* x, Index x_row, Panel panel, Index groups,
                             std::int32_t* sums) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return MultiplyRows<Panel, kRows - 1>(rows, x, x_row, panel, groups, sums);
  }
  MultiplyTile<kRows>(x, x_row, panel, groups, sums);
}

// Widens kPart channels of a panel for WidePanel and adds w₁w₀ + w₃w₂ to their sums.
HWY_INLINE void WidenPanel(PanelBytes panel, Index groups, std::int16_t* HWY_RESTRICT to,
                           std::int32_t* HWY_RESTRICT channel_sums) {
  const I16 d;
  Sums sums = LoadSums(channel_sums);
  for (Index g = 0; g < groups; ++g, to += kVectors * kVectorBytes) {
    const Weights w = panel.Next();
    hn::Store(w.odd, d, to);
    hn::Store(w.even, d, to + kLanes);
    sums.first = AddPairs(sums.first, w.odd, w.even);
    if constexpr (kVectors == 2) {
      hn::Store(w.second_odd, d, to + kVectorBytes);
      hn::Store(w.second_even, d, to + kVectorBytes + kLanes);
      sums.second = AddPairs(sums.second, w.second_odd, w.second_even);
    }
  }
  StoreSums(sums, channel_sums);
}

// y = (sums − the terms of the row and of the channels) · (scale of x · scales of the channels) + bias.
HWY_INLINE void Rescale(const std::int32_t* sums, std::int32_t row_sum, const std::int32_t* channel_sums, float x_scale,
                        const float* scales, const float* bias, Index cols, float* y) {
  const F32 d;
  const I32 di;
  HWY_ALIGN float buffer[int8_panel_channels];
  float* to = cols == int8_panel_channels ? y : buffer;
  for (Index c = 0; c < int8_panel_channels; c += kChannels) {
    const VI32 crossed = hn::Add(hn::LoadU(di, channel_sums + c), hn::Set(di, row_sum));
    const VF scale = hn::Mul(hn::Set(d, x_scale), hn::LoadU(d, scales + c));
    hn::StoreU(hn::Mul(hn::ConvertTo(d, hn::Sub(hn::LoadU(di, sums + c), crossed)), scale), d, to + c);
  }
  if (to == buffer) std::copy_n(buffer, cols, y);
  if (bias == nullptr) return;
  if (cols < int8_panel_channels) {
    for (Index c = 0; c < cols; ++c) y[c] += bias[c];
    return;
  }
  for (Index c = 0; c < int8_panel_channels; c += kChannels) {
    hn::StoreU(hn::Add(hn::LoadU(d, y + c), hn::LoadU(d, bias + c)), d, y + c);
  }
}

// Whether products are plain: widening the weights pays off only if they are used more than once.
HWY_INLINE bool IsPlain(Index rows) { return rows <= kTileRows; }

// The sums of at most kBlockRows rows and one panel, and the channels' own terms, which are 0 for plain products.
HWY_INLINE void SumPanel(const std::byte* x, Index row_bytes, Index rows, const std::int8_t* panel, Index groups,
                         std::int32_t* sums, std::int32_t* channel_sums) {
  HWY_ALIGN std::int16_t wide[kBlockGroups * int8_group_inputs * kPart];
  std::fill_n(sums, rows * int8_panel_channels, 0);
  std::fill_n(channel_sums, int8_panel_channels, 0);
  const Index group_bytes = int8_group_inputs * int8_panel_channels;
  for (Index g = 0; g < groups; g += kBlockGroups) {
    const Index count = std::min(kBlockGroups, groups - g);
    for (Index c = 0; c < int8_panel_channels; c += kPart) {
      const PanelBytes bytes{panel + g * group_bytes + c * int8_group_inputs, groups * group_bytes};
      const auto* from = reinterpret_cast<const std::int16_t*>(x) + g * int8_group_inputs;
      if (IsPlain(rows)) {
        MultiplyRows(rows, from, row_bytes / 2, bytes, count, sums + c);
        continue;
      }
      WidenPanel(bytes, count, wide, channel_sums + c);
      for (Index i = 0; i < rows; i += kTileRows, from += kTileRows * row_bytes / 2) {
        MultiplyRows(std::min<Index>(kTileRows, rows - i), from, row_bytes / 2, WidePanel{wide}, count,
                     sums + i * int8_panel_channels + c);
      }
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
