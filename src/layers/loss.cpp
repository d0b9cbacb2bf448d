#include "layers/loss.h"

#include <algorithm>

#include "kernels/loss.h"

namespace heed {
namespace {

constexpr Index rows_per_loss_task = 8;

// Calls after(logits, first token) for each block, with the losses of its tokens summed in order.
template <class RowLoss, class After>
Loss for_blocks(Matrix<const float> hidden, const Linear& output, const Workspace& workspace, const RowLoss& row_loss,
                const After& after) {
  Loss total{.tokens = hidden.rows};
  for (Index first = 0; first < hidden.rows; first += logits_at_a_time) {
    const Arena::Scope scope(workspace.arena);
    const Index count = std::min(logits_at_a_time, hidden.rows - first);
    const Matrix<float> logits = workspace.arena.matrix(count, output.weight.rows);
    linear(hidden.rows_from(first, count), output, logits, workspace);
    {
      const PhaseTimer timer(workspace, Phase::loss);
      const std::span<kernels::TokenLoss> losses = workspace.arena.array<kernels::TokenLoss>(count);
      workspace.threads.run(divide_up(count, rows_per_loss_task), [&](Index task, int) noexcept {
        const Index begin = task * rows_per_loss_task;
        for (Index row = begin; row < std::min(begin + rows_per_loss_task, count); ++row) {
          losses[static_cast<std::size_t>(row)] = row_loss(logits.row_span(row), first + row);
        }
      });
      for (const kernels::TokenLoss& token : losses) {
        total.smoothed += token.smoothed;
        total.plain += token.plain;
      }
    }
    after(logits, first);
  }
  return total;
}

}  // namespace

Loss loss(Matrix<const float> hidden, const Linear& output, std::span<const int> labels, float smoothing,
          const Workspace& workspace) {
  return for_blocks(
      hidden, output, workspace,
      [&](std::span<float> logits, Index token) noexcept {
        return kernels::cross_entropy(logits, labels[static_cast<std::size_t>(token)], smoothing);
      },
      [](Matrix<float>, Index) {});
}

Loss loss_backward(Matrix<const float> hidden, const Linear& output, std::span<const int> labels, float smoothing,
                   const Linear& gradient, Matrix<float> dhidden, const Workspace& workspace) {
  return for_blocks(
      hidden, output, workspace,
      [&](std::span<float> logits, Index token) noexcept {
        return kernels::cross_entropy_backward(logits, labels[static_cast<std::size_t>(token)], smoothing);
      },
      [&](Matrix<float> dlogits, Index first) {
        linear_backward(dlogits, hidden.rows_from(first, dlogits.rows), output, gradient,
                        {dhidden.rows_from(first, dlogits.rows), kernels::Start::zero}, workspace);
      });
}

}  // namespace heed
