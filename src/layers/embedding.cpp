#include "layers/embedding.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "layers/residual.h"

namespace heed {
namespace {

// Channels that one task of the scatter owns: it walks over all tokens in order, so sums have a fixed order.
constexpr Index channels_per_task = 64;

Index longest(std::span<const Index> offsets) {
  Index most = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) most = std::max(most, offsets[s + 1] - offsets[s]);
  return most;
}

}  // namespace

void sinusoid(Positions positions, Index position, std::span<float> row) {
  const auto d_model = static_cast<double>(row.size());
  const std::size_t half = row.size() / 2;
  const bool halves = positions == Positions::halves || positions == Positions::halves_paper;
  for (std::size_t i = 0; i < half; ++i) {
    const double exponent = positions == Positions::halves ? static_cast<double>(i) / std::max(d_model / 2.0 - 1.0, 1.0)
                                                           : 2.0 * static_cast<double>(i) / d_model;
    const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
    row[halves ? i : 2 * i] = static_cast<float>(std::sin(angle));
    row[halves ? half + i : 2 * i + 1] = static_cast<float>(std::cos(angle));
  }
}

Matrix<const float> position_table(const EmbeddingWeights& weights, Index count, const Workspace& workspace) {
  if (weights.kind == Positions::none) return {};
  if (weights.kind == Positions::learned) {
    return weights.positions.rows_from(weights.position_start, weights.positions.rows - weights.position_start);
  }
  const Matrix<float> table = workspace.arena.matrix(count, weights.tokens.cols);
  for_row_blocks(workspace, table.rows, [&](Index first, Index rows) noexcept {
    for (Index position = first; position < first + rows; ++position) {
      sinusoid(weights.kind, weights.position_start + position, table.row_span(position));
    }
  });
  return table;
}

void embed_token(int token, Index position, const EmbeddingWeights& weights, Matrix<const float> table,
                 std::span<float> row) noexcept {
  const float scale = token == no_token ? 0.0f : weights.scale;
  const std::span<const float> plus = table.empty() ? std::span<const float>() : table.row_span(position);
  const Index from = token == no_token ? 0 : token;
  if (weights.int8.panels == nullptr) return kernels::scale_and_add(weights.tokens.row_span(from), scale, plus, row);
  kernels::dequantize_channel(weights.int8, from, row);
  kernels::scale_and_add(row, scale, plus, row);
}

Matrix<const float> embed(const EmbeddingInput& input, const EmbeddingWeights& weights, const Workspace& workspace,
                          EmbeddingTrace* trace) {
  const PhaseTimer timer(workspace, Phase::embedding);
  Arena& arena = workspace.arena;
  const Matrix<float> x = arena.matrix(input.offsets.back(), weights.tokens.cols);
  if (trace != nullptr) *trace = {input, {}, {}};
  std::optional<Arena::Scope> scope;
  Matrix<float> rows = x;
  std::span<kernels::NormStats> stats;
  if (!weights.norm.gain.empty()) {
    if (trace == nullptr) scope.emplace(arena);
    rows = arena.matrix(x.rows, x.cols);
    stats = arena.array<kernels::NormStats>(x.rows);
    if (trace != nullptr) *trace = {input, rows, stats};
  }
  {
    const Arena::Scope table_scope(arena);
    const Matrix<const float> table = position_table(weights, longest(input.offsets), workspace);
    workspace.threads.run(static_cast<Index>(input.offsets.size()) - 1, [&](Index sentence, int) noexcept {
      const Index first = input.offsets[at(sentence)];
      const Index last = input.offsets[at(sentence) + 1];
      for (Index row = first; row < last; ++row) {
        embed_token(input.tokens[at(row)], row - first, weights, table, rows.row_span(row));
      }
    });
  }
  if (!stats.empty()) layer_norm(rows, weights.norm, x, stats, workspace);
  drop_rows(x, input.keys, input.rate, x, workspace);
  return x;
}

void embed_backward(const EmbeddingTrace& trace, Matrix<float> dx, const EmbeddingWeights& weights,
                    const EmbeddingWeights& gradient, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::embedding);
  const EmbeddingInput& input = trace.input;
  drop_rows(dx, input.keys, input.rate, dx, workspace);
  if (!trace.stats.empty()) {
    layer_norm_backward(dx, trace.norm_input, trace.stats, weights.norm, gradient.norm, dx, workspace);
  }
  workspace.threads.run(divide_up(dx.cols, channels_per_task), [&](Index task, int) noexcept {
    const Index first = task * channels_per_task;
    const Index count = std::min(channels_per_task, dx.cols - first);
    const Matrix<float> dx_part = dx.cols_from(first, count);
    const Matrix<float> tokens = gradient.tokens.cols_from(first, count);
    for (std::size_t s = 0; s + 1 < input.offsets.size(); ++s) {
      for (Index row = input.offsets[s]; row < input.offsets[s + 1]; ++row) {
        const int token = input.tokens[at(row)];
        if (token != no_token) kernels::add_scaled(dx_part.row_span(row), weights.scale, tokens.row_span(token));
        if (weights.kind == Positions::learned) {
          const Matrix<float> positions = gradient.positions.cols_from(first, count);
          kernels::add_scaled(dx_part.row_span(row), 1.0f,
                              positions.row_span(weights.position_start + row - input.offsets[s]));
        }
      }
    }
  });
}

}  // namespace heed
