#include "layers/linear.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "layers/product.h"

namespace heed {
namespace {

using kernels::Start;

constexpr Index columns_per_task = 64;

}  // namespace

Index panels_size(const Linear& layer) {
  const Index width = kernels::panel_width();
  const Matrix<float>& w = layer.weight;
  return std::max(kernels::panels_size(w.cols, w.rows, width), kernels::panels_size(w.rows, w.cols, width));
}

void pack_linear(Linear& layer, float* forward, float* backward, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::packing);
  const Matrix<float> w = layer.weight;
  const Index width = kernels::panel_width();
  layer.panels = forward;
  layer.backward_panels = backward;
  const Index blocks = divide_up(w.rows, rows_per_task);
  workspace.threads.run(blocks, [&](Index block, int) noexcept {
    const Index first = block * rows_per_task;
    const Index count = std::min(rows_per_task, w.rows - first);
    kernels::pack_panels_transposed(w.rows_from(first, count), width, forward + first * w.cols);
    if (backward != nullptr) kernels::pack_panels(w, first, count, width, backward);
  });
}

void linear(Matrix<const float> x, const Linear& layer, Matrix<float> y, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::linear_forward);
  const bool has_bias = !layer.bias.empty();
  compute(Product{kernels::left_rows(x), kernels::right_panels(layer.panels, x.cols), x.cols, y,
                  has_bias ? Start::bias : Start::zero, layer.bias.data},
          workspace);
}

void linear_backward(Matrix<const float> dy, Matrix<const float> x, const Linear& layer, const Linear& gradient,
                     Matrix<float> dx, Start start, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::linear_backward);
  const Arena::Scope scope(workspace.arena);
  const PackedPair packed(dy, x, workspace.arena);
  const Index bias_tasks = gradient.bias.empty() ? 0 : divide_up(dy.cols, columns_per_task);
  workspace.threads.run(packed.strips() + bias_tasks, [&](Index task, int) noexcept {
    if (task < packed.strips()) return packed.pack(task);
    const Index first = (task - packed.strips()) * columns_per_task;
    const Index count = std::min(columns_per_task, dy.cols - first);
    kernels::add_column_sums(dy.cols_from(first, count), gradient.bias.cols_from(first, count).row_span(0));
  });

  const Product dweight = packed.product(gradient.weight, Start::add);
  const Product dinput{kernels::left_rows(dy), kernels::right_panels(layer.backward_panels, dy.cols), dy.cols, dx,
                       start};
  // One loop over both products: the threads wait for each other once, not twice.
  const Index dweight_tiles = dweight.tiles();
  workspace.threads.run(dweight_tiles + dinput.tiles(), [&](Index tile, int) noexcept {
    if (tile < dweight_tiles) return dweight.compute(tile);
    dinput.compute(tile - dweight_tiles);
  });
}

}  // namespace heed
