#include "decoding/step.h"

#include <algorithm>

namespace heed {
namespace {

struct Step {
  const Config& config;
  AttentionShape shape;
  std::span<const StepRow> rows;
  const Workspace& workspace;

  Index count() const { return static_cast<Index>(rows.size()); }
  Residual residual(const LayerNorm& norm) const { return {norm, config.norm, {}}; }
};

using RowsOf = std::span<const std::int32_t> StepRow::*;

// context (rows, heads · d_v): each query over the rows of `cached` that its hypothesis names.
void attend_cached(const Step& step, Matrix<const float> query, Matrix<const float> cached, RowsOf rows_of,
                   Matrix<float> context) {
  const PhaseTimer timer(step.workspace, Phase::attention_forward);
  const Arena::Scope scope(step.workspace.arena);
  const auto [heads, d_k, d_v] = step.shape;
  std::size_t longest = 0;
  for (const StepRow& row : step.rows) longest = std::max(longest, (row.*rows_of).size());
  const Matrix<float> scores =
      step.workspace.arena.matrix(step.workspace.threads.threads(), static_cast<Index>(longest));
  step.workspace.threads.run(
      step.count() * heads, [&, heads = heads, d_k = d_k, d_v = d_v](Index task, int worker) noexcept {
        const Index row = task / heads;
        const Index head = task % heads;
        kernels::attend_one(query.cols_from(head * d_k, d_k).row_span(row), cached.cols_from(head * d_k, d_k),
                            cached.cols_from(heads * d_k + head * d_v, d_v),
                            step.rows[static_cast<std::size_t>(row)].*rows_of,
                            context.cols_from(head * d_v, d_v).row_span(row), scores.row(worker));
      });
}

// Puts this step's keys and values, which stand behind the queries, into their rows of the cache.
void store_past(const Step& step, Matrix<const float> projected, Matrix<float> past) {
  for_row_blocks(step.workspace, step.count(), [&](Index first, Index count) noexcept {
    for (Index row = first; row < first + count; ++row) {
      const Index to = step.rows[static_cast<std::size_t>(row)].past.back();
      std::copy_n(projected.row(row) + step.shape.heads * step.shape.d_k, past.cols, past.row(to));
    }
  });
}

void self_attention_step(const Step& step, Matrix<const float> x, const AttentionWeights& weights, Matrix<float> past,
                         Matrix<float> out) {
  Arena& arena = step.workspace.arena;
  const Arena::Scope scope(arena);
  const Matrix<float> projected = arena.matrix(x.rows, step.shape.heads * step.shape.d_k + past.cols);
  const Matrix<float> context = arena.matrix(x.rows, step.shape.heads * step.shape.d_v);
  linear(x, weights.query, projected, step.workspace);
  store_past(step, projected, past);
  attend_cached(step, projected, past, &StepRow::past, context);
  linear(context, weights.output, out, step.workspace);
}

void encoder_attention_step(const Step& step, Matrix<const float> x, const AttentionWeights& weights,
                            Matrix<const float> memory, Matrix<float> out) {
  Arena& arena = step.workspace.arena;
  const Arena::Scope scope(arena);
  const Matrix<float> query = arena.matrix(x.rows, step.shape.heads * step.shape.d_k);
  const Matrix<float> context = arena.matrix(x.rows, step.shape.heads * step.shape.d_v);
  linear(x, weights.query, query, step.workspace);
  attend_cached(step, query, memory, &StepRow::memory, context);
  linear(context, weights.output, out, step.workspace);
}

Matrix<float> decoder_layer_step(const Step& step, Matrix<const float> x, const DecoderLayer& layer,
                                 const LayerCache& cache) {
  const Matrix<float> attended = residual(x, step.residual(layer.self_attention_norm), {}, step.workspace, nullptr,
                                          [&](Matrix<const float> in, Matrix<float> out) {
                                            self_attention_step(step, in, layer.self_attention, cache.past, out);
                                          });
  const Matrix<float> informed =
      residual(attended, step.residual(layer.encoder_attention_norm), {}, step.workspace, nullptr,
               [&](Matrix<const float> in, Matrix<float> out) {
                 encoder_attention_step(step, in, layer.encoder_attention, cache.memory, out);
               });
  return residual(informed, step.residual(layer.feed_forward_norm), {}, step.workspace, nullptr,
                  [&](Matrix<const float> in, Matrix<float> out) {
                    feed_forward(in, layer.feed_forward, step.config.activation, out, step.workspace, nullptr);
                  });
}

}  // namespace

Matrix<const float> decode_step(const Transformer& model, std::span<const StepRow> rows, Matrix<const float> positions,
                                const Cache& cache, const Workspace& workspace) {
  const Config& config = model.config();
  const Parameters& parameters = model.parameters();
  const Step step{config, config.attention_shape(), rows, workspace};
  const Matrix<float> embedded = workspace.arena.matrix(step.count(), config.d_model);
  for_row_blocks(workspace, embedded.rows, [&](Index first, Index count) noexcept {
    for (Index i = first; i < first + count; ++i) {
      const StepRow& row = rows[static_cast<std::size_t>(i)];
      embed_token(row.token, row.position, parameters.target, positions, embedded.row_span(i));
    }
  });
  Matrix<const float> x = embedded;
  for (std::size_t i = 0; i < parameters.decoder.size(); ++i) {
    x = decoder_layer_step(step, x, parameters.decoder[i], cache.layers[i]);
  }
  return config.norm == Norm::before ? final_norm(x, parameters.decoder_norm, workspace, nullptr) : x;
}

}  // namespace heed
