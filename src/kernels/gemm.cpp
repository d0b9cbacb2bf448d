#include "kernels/gemm.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// A panel of B of this depth (32 KiB on AVX2) stays in the cache for all rows of A. Half the depth would leave room in
// the L1 cache, but reads and writes C twice as often, which costs more (measured on AVX2).
constexpr Index kDepthBlock = 512;

// C (kRows, 2 vectors) = or += A · B. In a tail only the first `cols` columns of C exist: they go through a buffer, as
// without AVX a masked store would rewrite what follows them, where another thread may be writing.
template <int kRows, bool kTail>
HWY_INLINE void MultiplyTile(const float* HWY_RESTRICT a, Index a_row, Index a_step, const float* HWY_RESTRICT b,
                             Index b_step, Index depth, float* HWY_RESTRICT c, Index c_row, Index cols, Start start,
                             const float* HWY_RESTRICT bias) {
  const F32 d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN float tail[2 * kMaxLanes];

  VF sum0[kRows];
  VF sum1[kRows];
  for (int i = 0; i < kRows; ++i) sum0[i] = sum1[i] = hn::Zero(d);
  if (start != Start::zero) {
    for (int i = 0; i < kRows; ++i) {
      const float* from = start == Start::add ? c + i * c_row : bias;
      if constexpr (kTail) {
        std::copy_n(from, cols, tail);
        std::fill(tail + cols, tail + 2 * lanes, 0.0f);
        from = tail;
      }
      sum0[i] = hn::LoadU(d, from);
      sum1[i] = hn::LoadU(d, from + lanes);
    }
  }
  for (Index k = 0; k < depth; ++k) {
    const VF b0 = hn::LoadU(d, b);
    const VF b1 = hn::LoadU(d, b + lanes);
    b += b_step;
    for (int i = 0; i < kRows; ++i) {
      const VF ai = hn::Set(d, a[i * a_row]);
      sum0[i] = hn::MulAdd(ai, b0, sum0[i]);
      sum1[i] = hn::MulAdd(ai, b1, sum1[i]);
    }
    a += a_step;
  }
  for (int i = 0; i < kRows; ++i) {
    float* to = kTail ? tail : c + i * c_row;
    hn::StoreU(sum0[i], d, to);
    hn::StoreU(sum1[i], d, to + lanes);
    if constexpr (kTail) std::copy_n(tail, cols, c + i * c_row);
  }
}

// Picks the tile of exactly `rows` rows: fewer rows run the same chain of multiply-adds.
template <bool kTail, int kRows = kRowGroup, class... Args>
HWY_INLINE void MultiplyRows(Index rows, const Args&... args) {
  if constexpr (kRows == 1) {
    MultiplyTile<1, kTail>(args...);
  } else {
    if (rows == kRows) return MultiplyTile<kRows, kTail>(args...);
    MultiplyRows<kTail, kRows - 1>(rows, args...);
  }
}

// Prefetches a share of the next panel into the L2 cache while this one is in use: from L3 it comes too late, the more
// so when other cores use L3, too.
HWY_INLINE const float* PrefetchLines(const float* from, Index lines) {
  constexpr Index line = 64 / sizeof(float);
  for (Index l = 0; l < lines; ++l, from += line) __builtin_prefetch(from, 0, 2);
  return from;
}

void MultiplyBlock(const Left& a, const Right& b, Index depth, Matrix<float> c, Start start, const float* bias) {
  const Index width = PanelWidth();
  const Index groups = divide_up(c.rows, kRowGroup);
  for (Index k = 0; k < depth || k == 0; k += kDepthBlock) {
    const Index block = std::min(kDepthBlock, depth - k);
    const Start from = k == 0 ? start : Start::add;
    const Index panel_lines = block * width * static_cast<Index>(sizeof(float)) / 64;
    for (Index j = 0; j < c.cols; j += width) {
      const float* panel = b.data + j / width * b.panel + k * b.step;
      const Index cols = std::min(width, c.cols - j);
      const float* bias_j = bias == nullptr ? nullptr : bias + j;
      const bool packed = b.step == width;
      const Index lines = packed && j + width < c.cols ? divide_up(panel_lines, groups) : 0;
      const float* next_panel = panel + b.panel;
      for (Index i = 0; i < c.rows; i += kRowGroup) {
        next_panel = PrefetchLines(next_panel, lines);
        const float* rows = a.data + i / kRowGroup * a.group + k * a.step;
        float* tile = c.data + i * c.stride + j;
        const Index count = std::min<Index>(kRowGroup, c.rows - i);
        if (cols == width) {
          MultiplyRows<false>(count, rows, a.row, a.step, panel, b.step, block, tile, c.stride, cols, from, bias_j);
        } else {
          MultiplyRows<true>(count, rows, a.row, a.step, panel, b.step, block, tile, c.stride, cols, from, bias_j);
        }
      }
    }
  }
}

Index RowGroupOfTarget() { return kRowGroup; }
Index PanelWidthOfTarget() { return PanelWidth(); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(RowGroupOfTarget);
HWY_EXPORT(PanelWidthOfTarget);
HWY_EXPORT(MultiplyBlock);

Index row_group() noexcept { return HWY_DYNAMIC_DISPATCH(RowGroupOfTarget)(); }
Index panel_width() noexcept { return HWY_DYNAMIC_DISPATCH(PanelWidthOfTarget)(); }

Left left_rows(Matrix<const float> a) noexcept { return {a.data, row_group() * a.stride, a.stride, 1}; }
Left left_panels(const float* panels, Index depth) noexcept { return {panels, depth * row_group(), 1, row_group()}; }
Right right_panels(const float* panels, Index depth) noexcept { return {panels, depth * panel_width(), panel_width()}; }

Index panels_size(Index depth, Index cols, Index width) noexcept { return depth * round_up(cols, width); }

void multiply(const Left& a, const Right& b, Index depth, Matrix<float> c, Start start, const float* bias) noexcept {
  if (c.rows == 0 || c.cols == 0) return;
  HWY_DYNAMIC_DISPATCH(MultiplyBlock)(a, b, depth, c, start, bias);
}

namespace {

// Rows are packed in strips: each is read along its length, and each panel is written some lines at a time.
constexpr Index strip_rows = 16;

// A width known to the compiler makes a row of a panel a few plain moves: by memcpy, as std::copy_n would call memmove.
template <Index kWidth>
void copy_full_panel(Matrix<const float> strip, float* panel) noexcept {
  for (Index k = 0; k < strip.rows; ++k) {
    std::memcpy(panel + k * kWidth, strip.data + k * strip.stride, kWidth * sizeof(float));
  }
}

void copy_panel(Matrix<const float> strip, Index width, float* panel) noexcept {
  if (strip.cols == 6 && width == 6) return copy_full_panel<6>(strip, panel);
  if (strip.cols == 12 && width == 12) return copy_full_panel<12>(strip, panel);
  if (strip.cols == 16 && width == 16) return copy_full_panel<16>(strip, panel);
  if (strip.cols == 32 && width == 32) return copy_full_panel<32>(strip, panel);
  for (Index k = 0; k < strip.rows; ++k, panel += width) {
    std::copy_n(strip.row(k), strip.cols, panel);
    std::fill_n(panel + strip.cols, width - strip.cols, 0.0f);
  }
}

}  // namespace

void pack_panels(Matrix<const float> b, Index first, Index count, Index width, float* panels) noexcept {
  for (Index k = first; k < first + count; k += strip_rows) {
    const Matrix<const float> strip = b.rows_from(k, std::min(strip_rows, first + count - k));
    for (Index j = 0; j < b.cols; j += width) {
      copy_panel(strip.cols_from(j, std::min(width, b.cols - j)), width, panels + j * b.rows + k * width);
    }
  }
}

void pack_panels_transposed(Matrix<const float> b, Index width, float* panels) noexcept {
  for (Index j = 0; j < b.rows; j += width) {
    const Index cols = std::min(width, b.rows - j);
    for (Index k = 0; k < b.cols; ++k, panels += width) {
      for (Index i = 0; i < cols; ++i) panels[i] = b(j + i, k);
      std::fill(panels + cols, panels + width, 0.0f);
    }
  }
}

void gather_panel_columns(const float* panels, Index depth, std::span<const int> columns, Index width,
                          float* to) noexcept {
  const Index count = static_cast<Index>(columns.size());
  for (Index first = 0; first < count; first += width, to += depth * width) {
    const Index present = std::min(width, count - first);
    for (Index j = 0; j < present; ++j) {
      const Index column = columns[static_cast<std::size_t>(first + j)];
      const float* from = panels + column / width * width * depth + column % width;
      for (Index k = 0; k < depth; ++k) to[k * width + j] = from[k * width];
    }
    for (Index k = 0; k < depth; ++k) std::fill(to + k * width + present, to + (k + 1) * width, 0.0f);
  }
}

}  // namespace heed::kernels
#endif
