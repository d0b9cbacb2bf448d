#include "layers/layer_norm.h"

#include "kernels/elementwise.h"

namespace heed {

void layer_norm(Matrix<const float> x, const LayerNorm& norm, Matrix<float> y, std::span<kernels::NormStats> stats,
                const Workspace& workspace) {
  for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
    kernels::layer_norm(x.rows_from(first, count), norm.gain.row_span(0), norm.bias.row_span(0), norm.epsilon,
                        y.rows_from(first, count),
                        stats.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
  });
}

void layer_norm_backward(Matrix<const float> dy, Matrix<const float> x, std::span<const kernels::NormStats> stats,
                         const LayerNorm& norm, const LayerNorm& gradient, Matrix<float> dx,
                         const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  // Each block of rows sums its own gain and bias gradients; the blocks are then added in order.
  const Index blocks = divide_up(x.rows, rows_per_task);
  const Matrix<float> dgain = workspace.arena.matrix(blocks, x.cols);
  const Matrix<float> dbias = workspace.arena.matrix(blocks, x.cols);
  for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
    const std::span<float> block_dgain = dgain.row_span(first / rows_per_task);
    const std::span<float> block_dbias = dbias.row_span(first / rows_per_task);
    std::fill(block_dgain.begin(), block_dgain.end(), 0.0f);
    std::fill(block_dbias.begin(), block_dbias.end(), 0.0f);
    kernels::layer_norm_backward(dy.rows_from(first, count), x.rows_from(first, count),
                                 stats.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
                                 norm.gain.row_span(0), dx.rows_from(first, count), block_dgain, block_dbias);
  });
  kernels::add_column_sums(dgain, gradient.gain.row_span(0));
  kernels::add_column_sums(dbias, gradient.bias.row_span(0));
}

}  // namespace heed
