#include "layers/feed_forward.h"

#include <optional>

namespace heed {

void feed_forward(Matrix<const float> x, const FeedForward& weights, Matrix<float> out, const Workspace& workspace,
                  FeedForwardTrace* trace) {
  Arena& arena = workspace.arena;
  const Activation activation = weights.activation;
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const Matrix<float> inner = arena.matrix(x.rows, weights.inner.weight.rows);
  const bool in_place = trace == nullptr || activation == Activation::relu;
  const Matrix<float> activated = in_place ? inner : arena.matrix(inner.rows, inner.cols);
  linear(x, weights.inner, inner, workspace);
  {
    const PhaseTimer timer(workspace, Phase::activation);
    for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
      kernels::activate(activation, inner.rows_from(first, count), activated.rows_from(first, count));
    });
  }
  linear(activated, weights.outer, out, workspace);
  if (trace != nullptr) *trace = {x, inner, activated};
}

void feed_forward_backward(Matrix<const float> dout, const FeedForward& weights, const FeedForwardTrace& trace,
                           const FeedForward& gradient, Into dx, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> dinner = workspace.arena.matrix(trace.inner.rows, trace.inner.cols);
  linear_backward(dout, trace.activated, weights.outer, gradient.outer, {dinner, kernels::Start::zero}, workspace);
  {
    const PhaseTimer timer(workspace, Phase::activation);
    for_row_blocks(workspace, dinner.rows, [&](Index first, Index count) noexcept {
      const Matrix<float> block = dinner.rows_from(first, count);
      kernels::activate_backward(weights.activation, block, trace.inner.rows_from(first, count), block);
    });
  }
  linear_backward(dinner, trace.x, weights.inner, gradient.inner, dx, workspace);
}

}  // namespace heed
