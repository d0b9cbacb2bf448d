#include "layers/mixers/attention.h"

#include <optional>

#include "layers/cached_heads.h"

namespace heed {
namespace {

using kernels::Start;

Heads heads_of(const MixerShape& shape, const RaggedRows& x) {
  return {shape.heads, x.offsets, x.offsets, reach_of(shape)};
}

}  // namespace

kernels::Reach reach_of(const MixerShape& shape) {
  const bool past = shape.sight == Sight::past;
  if (shape.window == 0) return past ? kernels::Reach{.ahead = 0} : kernels::Reach{};
  return {.ahead = past ? 0 : shape.window, .back = past ? shape.window - 1 : shape.window, .globals = shape.globals};
}

MixerTensors attention_tensors(const MixerShape& shape) {
  const AttentionShape& heads = shape.heads;
  return {.name = "self_attention",
          .input = {{{"query", heads.key_width()}, {"key", heads.key_width()}, {"value", heads.value_width()}}},
          .output_inputs = heads.value_width(),
          .attends = true};
}

void mix_attention(const RaggedRows& x, const Mixer& mixer, Matrix<float> out, const Workspace& workspace,
                   MixerTrace* trace) {
  Arena& arena = workspace.arena;
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const AttentionShape& shape = mixer.shape.heads;
  const Matrix<float> projected = arena.matrix(x.rows.rows, 2 * shape.key_width() + shape.value_width());
  const Matrix<float> context = arena.matrix(x.rows.rows, shape.value_width());
  const std::span<float> log_sums = arena.floats(shape.heads * x.rows.rows);
  linear(x.rows, mixer.input, projected, workspace);
  attend(heads_of(mixer.shape, x), split_projections<const float>(projected, shape), context, log_sums, workspace);
  silence_heads(shape, x.silenced, x.offsets, context);
  linear(context, mixer.output, out, workspace);
  if (trace != nullptr) *trace = {x, projected, {}, context, log_sums};
}

void mix_attention_backward(Matrix<const float> dout, const Mixer& mixer, const MixerTrace& trace,
                            const Mixer& gradient, Into dx, const Workspace& workspace) {
  Arena& arena = workspace.arena;
  const Arena::Scope scope(arena);
  const AttentionShape& shape = mixer.shape.heads;
  const Matrix<float> dcontext = arena.matrix(trace.context.rows, trace.context.cols);
  const Matrix<float> dprojected = arena.matrix(trace.projected.rows, trace.projected.cols);
  linear_backward(dout, trace.context, mixer.output, gradient.output, {dcontext, Start::zero}, workspace);
  attend_backward(heads_of(mixer.shape, trace.x), split_projections<const float>(trace.projected, shape),
                  {trace.context, dcontext, trace.sums}, split_projections(dprojected, shape), workspace);
  linear_backward(dprojected, trace.x.rows, mixer.input, gradient.input, dx, workspace);
}

MixerMemory attention_memory(const MixerShape& shape, kernels::CacheType type) {
  return {.past = kernels::cache_row_bytes(cache_shape(shape.heads, type))};
}

void attention_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
                    Matrix<float> out, const Workspace& workspace) {
  Arena& arena = workspace.arena;
  const Arena::Scope scope(arena);
  const kernels::CacheShape shape = cache_shape(mixer.shape.heads, kept.type);
  const Matrix<float> projected = arena.matrix(x.rows, shape.heads * shape.d_k + shape.numbers());
  const Matrix<float> context = arena.matrix(x.rows, shape.heads * shape.d_v);
  linear(x, mixer.input, projected, workspace);
  // Keys and values come after the queries.
  for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
    for (Index row = first; row < first + count; ++row) {
      const Index to = rows[static_cast<std::size_t>(row)].past.back();
      kernels::store_cached(shape, projected.row(row) + shape.heads * shape.d_k, kept.past.row(to));
    }
  });
  attend_cached({.shape = shape, .rows = rows, .seen = &StepRow::past, .silenced = kept.silenced}, projected, kept.past,
                context, workspace);
  linear(context, mixer.output, out, workspace);
}

}  // namespace heed
