// Matrix products on all threads: C is split into tiles by its shape only, and each tile belongs to one thread.
#pragma once

#include <algorithm>

#include "kernels/gemm.h"
#include "layers/workspace.h"

namespace heed {

// Multiples of every kernel's own tile. Larger ones share more loads but leave threads waiting for the last one.
constexpr Index tile_rows = 192;
constexpr Index tile_cols = 128;

// C = start + A · B as numbered tiles.
struct Product {
  kernels::Left a;
  kernels::Right b;
  Index depth;
  Matrix<float> c;
  kernels::Start start;
  const float* bias = nullptr;

  Index across() const { return divide_up(c.cols, tile_cols); }
  Index tiles() const { return divide_up(c.rows, tile_rows) * across(); }

  void compute(Index tile) const noexcept {
    const Index i = tile / across() * tile_rows;
    const Index j = tile % across() * tile_cols;
    const Matrix<float> part =
        c.rows_from(i, std::min(tile_rows, c.rows - i)).cols_from(j, std::min(tile_cols, c.cols - j));
    kernels::Left rows = a;
    rows.data += i / kernels::row_group() * a.group;
    kernels::Right cols = b;
    cols.data += j / kernels::panel_width() * b.panel;
    kernels::multiply(rows, cols, depth, part, start, bias == nullptr ? nullptr : bias + j);
  }
};

inline void compute(const Product& product, const Workspace& workspace) {
  workspace.threads.run(product.tiles(), [&](Index tile, int) noexcept { product.compute(tile); });
}

// The factors of Aᵀ · B with the rows of both as depth, packed strip by strip.
struct PackedPair {
  Matrix<const float> a;
  Matrix<const float> b;
  float* a_panels;
  float* b_panels;

  // Takes the panels from the arena.
  PackedPair(Matrix<const float> a_, Matrix<const float> b_, Arena& arena)
      : a(a_),
        b(b_),
        a_panels(arena.floats(kernels::panels_size(a.rows, a.cols, kernels::row_group())).data()),
        b_panels(arena.floats(kernels::panels_size(b.rows, b.cols, kernels::panel_width())).data()) {}

  Index strips() const { return divide_up(a.rows, rows_per_task); }
  void pack(Index strip) const noexcept {
    const Index first = strip * rows_per_task;
    const Index count = std::min(rows_per_task, a.rows - first);
    kernels::pack_panels(a, first, count, kernels::row_group(), a_panels);
    kernels::pack_panels(b, first, count, kernels::panel_width(), b_panels);
  }
  Product product(Matrix<float> c, kernels::Start start) const {
    return {kernels::left_panels(a_panels, a.rows), kernels::right_panels(b_panels, b.rows), a.rows, c, start};
  }
};

}  // namespace heed
