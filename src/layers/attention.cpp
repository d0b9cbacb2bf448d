#include "layers/attention.h"

#include <optional>

namespace heed {
namespace {

using kernels::Mask;
using kernels::Start;

// Queries, keys and values of all heads, each head a slice of columns.
template <class T>
struct Projections {
  Matrix<T> query, key, value;
};

template <class T>
Projections<T> split_self(Matrix<T> projected, const AttentionShape& s) {
  return {projected.cols_from(0, s.heads * s.d_k), projected.cols_from(s.heads * s.d_k, s.heads * s.d_k),
          projected.cols_from(2 * s.heads * s.d_k, s.heads * s.d_v)};
}

template <class T>
Projections<T> split_memory(Matrix<T> query, Matrix<T> memory, const AttentionShape& s) {
  return {query, memory.cols_from(0, s.heads * s.d_k), memory.cols_from(s.heads * s.d_k, s.heads * s.d_v)};
}

// The part of a projection that belongs to one head and one sentence.
template <class T>
Matrix<T> head_of(Matrix<T> m, Index head, Index width, std::span<const Index> offsets, Index sentence) {
  const auto s = static_cast<std::size_t>(sentence);
  return m.cols_from(head * width, width).rows_from(offsets[s], offsets[s + 1] - offsets[s]);
}

struct Heads {
  AttentionShape shape;
  std::span<const Index> query_offsets;
  std::span<const Index> key_offsets;
  Mask mask;

  Index tasks() const { return shape.heads * static_cast<Index>(query_offsets.size() - 1); }
  Index head(Index task) const { return task % shape.heads; }
  Index sentence(Index task) const { return task / shape.heads; }

  template <class T>
  Projections<T> part(const Projections<T>& p, Index task) const {
    return {head_of(p.query, head(task), shape.d_k, query_offsets, sentence(task)),
            head_of(p.key, head(task), shape.d_k, key_offsets, sentence(task)),
            head_of(p.value, head(task), shape.d_v, key_offsets, sentence(task))};
  }
  template <class T>
  Matrix<T> context_part(Matrix<T> context, Index task) const {
    return head_of(context, head(task), shape.d_v, query_offsets, sentence(task));
  }
  std::span<float> log_sums_part(std::span<float> log_sums, Index task) const {
    const auto s = static_cast<std::size_t>(sentence(task));
    return log_sums.subspan(static_cast<std::size_t>(head(task) * query_offsets.back() + query_offsets[s]),
                            static_cast<std::size_t>(query_offsets[s + 1] - query_offsets[s]));
  }
};

void attend_all(const Heads& heads, const Projections<const float>& projections, Matrix<float> context,
                std::span<float> log_sums, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::attention_forward);
  const Arena::Scope scope(workspace.arena);
  const Index each = kernels::attention_scratch(heads.shape.d_k);
  float* scratch = workspace.arena.floats(each * workspace.threads.threads()).data();
  workspace.threads.run(heads.tasks(), [&](Index task, int worker) noexcept {
    const Projections<const float> part = heads.part(projections, task);
    kernels::attend(part.query, part.key, part.value, heads.mask, heads.context_part(context, task),
                    heads.log_sums_part(log_sums, task), scratch + worker * each);
  });
}

void attend_all_backward(const Heads& heads, const Projections<const float>& projections, Matrix<const float> context,
                         Matrix<const float> dcontext, std::span<float> log_sums, const Projections<float>& gradients,
                         const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::attention_backward);
  const Arena::Scope scope(workspace.arena);
  const Index each = kernels::attention_backward_scratch(heads.shape.d_k, heads.shape.d_v);
  float* scratch = workspace.arena.floats(each * workspace.threads.threads()).data();
  workspace.threads.run(heads.tasks(), [&](Index task, int worker) noexcept {
    const Projections<const float> part = heads.part(projections, task);
    const Projections<float> d = heads.part(gradients, task);
    kernels::attend_backward(
        {part.query, part.key, part.value, heads.context_part(context, task), heads.context_part(dcontext, task),
         heads.log_sums_part(log_sums, task), d.query, d.key, d.value},
        heads.mask, scratch + worker * each);
  });
}

}  // namespace

void self_attention(Matrix<const float> x, const AttentionWeights& weights, const AttentionShape& shape,
                    std::span<const Index> offsets, Mask mask, Matrix<float> out, const Workspace& workspace,
                    AttentionTrace* trace) {
  Arena& arena = workspace.arena;
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const Matrix<float> projected = arena.matrix(x.rows, shape.heads * (2 * shape.d_k + shape.d_v));
  const Matrix<float> context = arena.matrix(x.rows, shape.heads * shape.d_v);
  const std::span<float> log_sums = arena.floats(shape.heads * x.rows);
  linear(x, weights.query, projected, workspace);
  attend_all({shape, offsets, offsets, mask}, split_self<const float>(projected, shape), context, log_sums, workspace);
  linear(context, weights.output, out, workspace);
  if (trace != nullptr) *trace = {x, projected, {}, context, log_sums};
}

void self_attention_backward(Matrix<const float> dout, const AttentionWeights& weights, const AttentionShape& shape,
                             std::span<const Index> offsets, Mask mask, const AttentionTrace& trace,
                             const AttentionWeights& gradient, Matrix<float> dx, Start start,
                             const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> dcontext = workspace.arena.matrix(trace.context.rows, trace.context.cols);
  const Matrix<float> dprojected = workspace.arena.matrix(trace.projected.rows, trace.projected.cols);
  linear_backward(dout, trace.context, weights.output, gradient.output, dcontext, Start::zero, workspace);
  attend_all_backward({shape, offsets, offsets, mask}, split_self<const float>(trace.projected, shape), trace.context,
                      dcontext, trace.log_sums, split_self(dprojected, shape), workspace);
  linear_backward(dprojected, trace.x, weights.query, gradient.query, dx, start, workspace);
}

void encoder_attention(Matrix<const float> x, const Memory& memory, const AttentionWeights& weights,
                       const AttentionShape& shape, std::span<const Index> offsets, Matrix<float> out,
                       const Workspace& workspace, AttentionTrace* trace) {
  Arena& arena = workspace.arena;
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const Matrix<float> projected = arena.matrix(x.rows, shape.heads * shape.d_k);
  const Matrix<float> memory_projected = arena.matrix(memory.rows.rows, shape.heads * (shape.d_k + shape.d_v));
  const Matrix<float> context = arena.matrix(x.rows, shape.heads * shape.d_v);
  const std::span<float> log_sums = arena.floats(shape.heads * x.rows);
  linear(x, weights.query, projected, workspace);
  linear(memory.rows, weights.memory, memory_projected, workspace);
  attend_all({shape, offsets, memory.offsets, Mask::none},
             split_memory<const float>(projected, memory_projected, shape), context, log_sums, workspace);
  linear(context, weights.output, out, workspace);
  if (trace != nullptr) *trace = {x, projected, memory_projected, context, log_sums};
}

void encoder_attention_backward(Matrix<const float> dout, const Memory& memory, const AttentionWeights& weights,
                                const AttentionShape& shape, std::span<const Index> offsets,
                                const AttentionTrace& trace, const AttentionWeights& gradient, Matrix<float> dx,
                                Start start, Matrix<float> dmemory, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> dcontext = workspace.arena.matrix(trace.context.rows, trace.context.cols);
  const Matrix<float> dprojected = workspace.arena.matrix(trace.projected.rows, trace.projected.cols);
  const Matrix<float> dmemory_projected =
      workspace.arena.matrix(trace.memory_projected.rows, trace.memory_projected.cols);
  linear_backward(dout, trace.context, weights.output, gradient.output, dcontext, Start::zero, workspace);
  attend_all_backward({shape, offsets, memory.offsets, Mask::none},
                      split_memory<const float>(trace.projected, trace.memory_projected, shape), trace.context,
                      dcontext, trace.log_sums, split_memory(dprojected, dmemory_projected, shape), workspace);
  linear_backward(dprojected, trace.x, weights.query, gradient.query, dx, start, workspace);
  linear_backward(dmemory_projected, memory.rows, weights.memory, gradient.memory, dmemory, Start::add, workspace);
}

}  // namespace heed
