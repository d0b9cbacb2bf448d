// Matrix products in f32: C = A · B on one thread; the layers split C into tiles and hand those to threads.
//
// Every element of C is one chain of multiply-adds over k = 0, 1, 2 …, started from `start`, whatever the number of
// rows or the position of the tile. So a row has the same bits in any batch and on any number of threads.
#pragma once

#include "tensor/matrix.h"

namespace heed::kernels {

// The left factor: element (i, k) of row group g = i / row_group() is data[g · group + (i % row_group()) · row + k ·
// step].
struct Left {
  const float* data = nullptr;
  Index group = 0;
  Index row = 0;
  Index step = 0;
};

// The right factor, in panels of panel_width() columns: element (k, j) is data[(j / width) · panel + k · step + j %
// width].
struct Right {
  const float* data = nullptr;
  Index panel = 0;
  Index step = 0;
};

enum class Start { zero, add, bias };  // what the sums start from: 0, what C holds, or a row of biases

// The rows of C that one micro-kernel call computes, and the columns of a panel; both depend on the instruction set.
Index row_group() noexcept;
Index panel_width() noexcept;

// Rows as stored.
Left left_rows(Matrix<const float> a) noexcept;

// Panels made by pack_panels for a whole factor: `depth` is the number of rows (k) that were packed.
Left left_panels(const float* panels, Index depth) noexcept;
Right right_panels(const float* panels, Index depth) noexcept;

// Floats that pack_panels writes for `cols` columns in panels of `width`.
Index panels_size(Index depth, Index cols, Index width) noexcept;
// Copies the columns of rows [first, first + count) of b to their place in the panels of all of b, the last panel
// padded with zeros.
void pack_panels(Matrix<const float> b, Index first, Index count, Index width, float* panels) noexcept;
// The panels of the transpose of b: its rows become columns.
void pack_panels_transposed(Matrix<const float> b, Index width, float* panels) noexcept;
// Copies some columns of packed panels, in this order, into panels of their own, the last one padded with zeros.
void gather_panel_columns(const float* panels, Index depth, std::span<const int> columns, Index width,
                          float* to) noexcept;

// C (m, n) = start + A (m, depth) · B (depth, n); bias holds n numbers when start is Start::bias.
void multiply(const Left& a, const Right& b, Index depth, Matrix<float> c, Start start,
              const float* bias = nullptr) noexcept;

}  // namespace heed::kernels
