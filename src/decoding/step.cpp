#include "decoding/step.h"

#include <algorithm>

namespace heed {
namespace {

// Fewer rows than this are cut by heads, so that several threads can share them.
constexpr Index few_rows = 16;

struct Step {
  const Config& config;
  kernels::CacheShape shape;
  std::span<const StepRow> rows;
  Index asking;  // the layer whose attention to the source is computed, where rows may ask for it; otherwise none
  const Workspace& workspace;

  Index count() const { return static_cast<Index>(rows.size()); }
  Residual residual(const LayerNorm& norm) const { return {norm, config.norm, {}}; }
};

using RowsOf = std::span<const std::int32_t> StepRow::*;

constexpr Index none = -1;

bool asks(const StepRow& row, Index layer) { return !row.attention.empty() && row.attention_layer == layer; }

// weights (heads, sums.size()) added up over the heads.
void add_heads(std::span<const float> weights, std::span<float> sums) noexcept {
  std::copy_n(weights.begin(), sums.size(), sums.begin());
  for (std::size_t i = sums.size(); i < weights.size(); ++i) sums[i % sums.size()] += weights[i];
}

// context (rows, heads · d_v): each query over the rows of `cached` that its hypothesis names. Rows that ask for the
// weights of layer `asking` get them.
void attend(const Step& step, Matrix<const float> query, Matrix<const std::byte> cached, RowsOf rows_of, Index asking,
            Matrix<float> context) {
  const PhaseTimer timer(step.workspace, Phase::attention_forward);
  const Arena::Scope scope(step.workspace.arena);
  std::size_t longest = 0;
  bool asked = false;
  for (const StepRow& row : step.rows) {
    longest = std::max(longest, (row.*rows_of).size());
    asked = asked || asks(row, asking);
  }
  const Index blocks = step.count() < few_rows && !asked ? step.shape.heads : 1;
  const Index heads = step.shape.heads / blocks;
  const Matrix<float> weights = step.workspace.arena.matrix(
      step.workspace.threads.threads(), kernels::attend_cached_scratch(step.shape, heads, static_cast<Index>(longest)));
  step.workspace.threads.run(step.count() * blocks, [&](Index task, int worker) noexcept {
    const Index row = task / blocks;
    const std::span<const std::int32_t> places = step.rows[static_cast<std::size_t>(row)].*rows_of;
    const Index next_row = row + step.workspace.threads.threads();
    const auto next = blocks == 1 && next_row < step.count() ? step.rows[static_cast<std::size_t>(next_row)].*rows_of
                                                             : std::span<const std::int32_t>();
    kernels::attend_cached(step.shape, task % blocks * heads, heads, query.row(row), cached, places, next,
                           context.row(row), weights.row(worker));
    const StepRow& asker = step.rows[static_cast<std::size_t>(row)];
    if (!asks(asker, asking)) return;
    add_heads(weights.row_span(worker).first(static_cast<std::size_t>(heads) * places.size()), asker.attention);
  });
}

// Puts this step's keys and values, which stand behind the queries, into their rows of the cache.
void store_past(const Step& step, Matrix<const float> projected, Matrix<std::byte> past) {
  for_row_blocks(step.workspace, step.count(), [&](Index first, Index count) noexcept {
    for (Index row = first; row < first + count; ++row) {
      const Index to = step.rows[static_cast<std::size_t>(row)].past.back();
      kernels::store_cached(step.shape, projected.row(row) + step.shape.heads * step.shape.d_k, past.row(to));
    }
  });
}

void self_attention_step(const Step& step, Matrix<const float> x, const AttentionWeights& weights,
                         Matrix<std::byte> past, Matrix<float> out) {
  Arena& arena = step.workspace.arena;
  const Arena::Scope scope(arena);
  const Matrix<float> projected = arena.matrix(x.rows, step.shape.heads * step.shape.d_k + step.shape.numbers());
  const Matrix<float> context = arena.matrix(x.rows, step.shape.heads * step.shape.d_v);
  linear(x, weights.query, projected, step.workspace);
  store_past(step, projected, past);
  attend(step, projected, past, &StepRow::past, none, context);
  linear(context, weights.output, out, step.workspace);
}

void encoder_attention_step(const Step& step, Matrix<const float> x, const AttentionWeights& weights,
                            Matrix<const std::byte> memory, Matrix<float> out) {
  Arena& arena = step.workspace.arena;
  const Arena::Scope scope(arena);
  const Matrix<float> query = arena.matrix(x.rows, step.shape.heads * step.shape.d_k);
  const Matrix<float> context = arena.matrix(x.rows, step.shape.heads * step.shape.d_v);
  linear(x, weights.query, query, step.workspace);
  attend(step, query, memory, &StepRow::memory, step.asking, context);
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
                                const Cache& cache, Wanted wanted, const Workspace& workspace) {
  const Config& config = model.config();
  const Parameters& parameters = model.parameters();
  Step step{config, cache.shape, rows, none, workspace};
  const Matrix<float> embedded = workspace.arena.matrix(step.count(), config.d_model);
  for_row_blocks(workspace, embedded.rows, [&](Index first, Index count) noexcept {
    for (Index i = first; i < first + count; ++i) {
      const StepRow& row = rows[static_cast<std::size_t>(i)];
      embed_token(row.token, row.position, parameters.target, positions, embedded.row_span(i));
    }
  });
  Matrix<const float> x = embedded;
  for (std::size_t i = 0; i < parameters.decoder.size(); ++i) {
    step.asking = wanted == Wanted::hidden_and_attention ? static_cast<Index>(i) : none;
    x = decoder_layer_step(step, x, parameters.decoder[i], cache.layers[i]);
  }
  return config.norm == Norm::before ? final_norm(x, parameters.decoder_norm, workspace, nullptr) : x;
}

}  // namespace heed
