#include "layers/heads.h"

#include <algorithm>

#include "layers/ragged_rows.h"

namespace heed {
namespace {

// The part of a projection that belongs to one head and one sentence.
template <class T>
Matrix<T> head_of(Matrix<T> m, Index head, Index width, std::span<const Index> offsets, Index sentence) {
  const auto s = static_cast<std::size_t>(sentence);
  return m.cols_from(head * width, width).rows_from(offsets[s], offsets[s + 1] - offsets[s]);
}

// A head of a sentence.
struct Task {
  const Heads& all;
  Index head;
  Index sentence;

  Task(const Heads& heads, Index number)
      : all(heads), head(number % heads.shape.heads), sentence(number / heads.shape.heads) {}

  template <class T>
  Projections<T> part(const Projections<T>& p) const {
    return {head_of(p.query, head, all.shape.d_k, all.query_offsets, sentence),
            head_of(p.key, head, all.shape.d_k, all.key_offsets, sentence),
            head_of(p.value, head, all.shape.d_v, all.key_offsets, sentence)};
  }
  template <class T>
  Matrix<T> context_part(Matrix<T> context) const {
    return head_of(context, head, all.shape.d_v, all.query_offsets, sentence);
  }
  std::span<float> log_sums_part(std::span<float> log_sums) const {
    const auto s = static_cast<std::size_t>(sentence);
    return log_sums.subspan(static_cast<std::size_t>(head * all.query_offsets.back() + all.query_offsets[s]),
                            static_cast<std::size_t>(all.query_offsets[s + 1] - all.query_offsets[s]));
  }
};

Index tasks(const Heads& heads) { return heads.shape.heads * static_cast<Index>(heads.query_offsets.size() - 1); }

}  // namespace

void attend(const Heads& heads, const Projections<const float>& projections, Matrix<float> context,
            std::span<float> log_sums, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::attention_forward);
  const Arena::Scope scope(workspace.arena);
  const Index each = kernels::attention_scratch(heads.shape.d_k);
  float* scratch = workspace.arena.floats(each * workspace.threads.threads()).data();
  workspace.threads.run(tasks(heads), [&](Index number, int worker) noexcept {
    const Task task(heads, number);
    const Projections<const float> part = task.part(projections);
    kernels::attend(part.query, part.key, part.value, heads.reach, task.context_part(context),
                    task.log_sums_part(log_sums), scratch + worker * each);
  });
}

void silence_heads(const AttentionShape& shape, std::span<const int> silenced, std::span<const Index> offsets,
                   Matrix<float> context) {
  for (std::size_t s = 0; s < silenced.size(); ++s) {
    if (silenced[s] == no_head) continue;
    const Matrix<float> rows = head_of(context, silenced[s], shape.d_v, offsets, static_cast<Index>(s));
    for (Index row = 0; row < rows.rows; ++row) std::ranges::fill(rows.row_span(row), 0.0f);
  }
}

void attend_backward(const Heads& heads, const Projections<const float>& projections, const HeadsTrace& trace,
                     const Projections<float>& gradients, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::attention_backward);
  const Arena::Scope scope(workspace.arena);
  const Index each = kernels::attention_backward_scratch(heads.shape.d_k, heads.shape.d_v);
  float* scratch = workspace.arena.floats(each * workspace.threads.threads()).data();
  workspace.threads.run(tasks(heads), [&](Index number, int worker) noexcept {
    const Task task(heads, number);
    const Projections<const float> part = task.part(projections);
    const Projections<float> d = task.part(gradients);
    kernels::attend_backward(
        {part.query, part.key, part.value, task.context_part(trace.context), task.context_part(trace.dcontext),
         task.log_sums_part(trace.log_sums), d.query, d.key, d.value},
        heads.reach, scratch + worker * each);
  });
}

}  // namespace heed
