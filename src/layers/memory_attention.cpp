#include "layers/memory_attention.h"

#include <optional>

namespace heed {
namespace {

using kernels::Start;

template <class T>
Projections<T> split(Matrix<T> query, Matrix<T> projected, const AttentionShape& s) {
  return {query, projected.cols_from(0, s.key_width()), projected.cols_from(s.key_width(), s.value_width())};
}

Heads heads_of(const AttentionShape& shape, const RaggedRows& x, const RaggedRows& memory) {
  return {shape, x.offsets, memory.offsets, kernels::Reach()};
}

}  // namespace

void memory_attention(const RaggedRows& x, const RaggedRows& memory, const MemoryAttention& weights, Matrix<float> out,
                      const Workspace& workspace, MemoryAttentionTrace* trace) {
  Arena& arena = workspace.arena;
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const AttentionShape& shape = weights.shape;
  const Matrix<float> query = arena.matrix(x.rows.rows, shape.key_width());
  const Matrix<float> projected = arena.matrix(memory.rows.rows, shape.key_width() + shape.value_width());
  const Matrix<float> context = arena.matrix(x.rows.rows, shape.value_width());
  const std::span<float> log_sums = arena.floats(shape.heads * x.rows.rows);
  linear(x.rows, weights.query, query, workspace);
  linear(memory.rows, weights.memory, projected, workspace);
  attend(heads_of(shape, x, memory), split<const float>(query, projected, shape), context, log_sums, workspace);
  linear(context, weights.output, out, workspace);
  if (trace != nullptr) *trace = {x, memory, query, projected, context, log_sums};
}

void memory_attention_backward(Matrix<const float> dout, const MemoryAttention& weights,
                               const MemoryAttentionTrace& trace, const MemoryAttention& gradient, Into dx,
                               Matrix<float> dmemory, const Workspace& workspace) {
  Arena& arena = workspace.arena;
  const Arena::Scope scope(arena);
  const AttentionShape& shape = weights.shape;
  const Matrix<float> dcontext = arena.matrix(trace.context.rows, trace.context.cols);
  const Matrix<float> dquery = arena.matrix(trace.query.rows, trace.query.cols);
  const Matrix<float> dprojected = arena.matrix(trace.projected.rows, trace.projected.cols);
  linear_backward(dout, trace.context, weights.output, gradient.output, {dcontext, Start::zero}, workspace);
  attend_backward(heads_of(shape, trace.x, trace.memory), split<const float>(trace.query, trace.projected, shape),
                  {trace.context, dcontext, trace.log_sums}, split(dquery, dprojected, shape), workspace);
  linear_backward(dquery, trace.x.rows, weights.query, gradient.query, dx, workspace);
  linear_backward(dprojected, trace.memory.rows, weights.memory, gradient.memory, {dmemory, Start::add}, workspace);
}

Index memory_row_bytes(const MemoryAttention& weights, kernels::CacheType type) {
  return kernels::cache_row_bytes(cache_shape(weights.shape, type));
}

void store_memory(Matrix<const float> memory, const MemoryAttention& weights, kernels::CacheType type,
                  std::span<const std::int32_t> to, Matrix<std::byte> cache, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const kernels::CacheShape shape = cache_shape(weights.shape, type);
  const Matrix<float> projected = workspace.arena.matrix(memory.rows, shape.numbers());
  linear(memory, weights.memory, projected, workspace);
  for_row_blocks(workspace, memory.rows, [&](Index first, Index count) noexcept {
    for (Index row = first; row < first + count; ++row) {
      kernels::store_cached(shape, projected.row(row), cache.row(to[static_cast<std::size_t>(row)]));
    }
  });
}

void memory_attention_step(Matrix<const float> x, const CachedHeads& heads, const MemoryAttention& weights,
                           Matrix<const std::byte> cache, Matrix<float> out, const Workspace& workspace) {
  Arena& arena = workspace.arena;
  const Arena::Scope scope(arena);
  const Matrix<float> query = arena.matrix(x.rows, weights.shape.key_width());
  const Matrix<float> context = arena.matrix(x.rows, weights.shape.value_width());
  linear(x, weights.query, query, workspace);
  attend_cached(heads, query, cache, context, workspace);
  linear(context, weights.output, out, workspace);
}

}  // namespace heed
