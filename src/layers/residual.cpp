#include "layers/residual.h"

namespace heed {
namespace {

std::span<const std::uint64_t> keys_of(std::span<const std::uint64_t> keys, Index first, Index count) {
  if (keys.empty()) return keys;
  return keys.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace

void add_residual(Matrix<const float> x, std::span<const std::uint64_t> keys, kernels::DropoutRate rate,
                  Matrix<float> out, const Workspace& workspace) {
  for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
    const Matrix<float> block = out.rows_from(first, count);
    kernels::add_dropped(x.rows_from(first, count), block, keys_of(keys, first, count), rate, block);
  });
}

void drop_rows(Matrix<const float> dout, std::span<const std::uint64_t> keys, kernels::DropoutRate rate,
               Matrix<float> dsublayer, const Workspace& workspace) {
  for_row_blocks(workspace, dout.rows, [&](Index first, Index count) noexcept {
    kernels::drop(dout.rows_from(first, count), keys_of(keys, first, count), rate, dsublayer.rows_from(first, count));
  });
}

void add_rows(Matrix<const float> dy, Matrix<float> dx, const Workspace& workspace) {
  for_row_blocks(workspace, dy.rows, [&](Index first, Index count) noexcept {
    const Matrix<float> block = dx.rows_from(first, count);
    kernels::add(block, dy.rows_from(first, count), block);
  });
}

}  // namespace heed
