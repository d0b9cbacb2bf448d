#include "layers/cached_heads.h"

#include <algorithm>

namespace heed {
namespace {

// Fewer rows than this are split by heads, so that several threads can share them.
constexpr Index few_rows = 16;

bool asks(const StepRow& row, Index layer) { return !row.attention.empty() && row.attention_layer == layer; }

// weights (heads, sums.size()), summed over heads.
void add_heads(std::span<const float> weights, std::span<float> sums) noexcept {
  std::copy_n(weights.begin(), sums.size(), sums.begin());
  for (std::size_t i = sums.size(); i < weights.size(); ++i) sums[i % sums.size()] += weights[i];
}

// Clears the head of the row that is silenced, if it is among these.
void clear_silenced(const CachedHeads& heads, Index row, Index first, Index count, Matrix<float> context) noexcept {
  const Index head = heads.silenced[static_cast<std::size_t>(row)];
  if (head < first || head >= first + count) return;
  std::fill_n(context.row(row) + head * heads.shape.d_v, heads.shape.d_v, 0.0f);
}

}  // namespace

kernels::CacheShape cache_shape(const AttentionShape& shape, kernels::CacheType type) {
  return {shape.heads, shape.d_k, shape.d_v, type};
}

void attend_cached(const CachedHeads& heads, Matrix<const float> query, Matrix<const std::byte> cache,
                   Matrix<float> context, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::attention_forward);
  const Arena::Scope scope(workspace.arena);
  const auto count = static_cast<Index>(heads.rows.size());
  const auto row_at = [&](Index row) -> const StepRow& { return heads.rows[static_cast<std::size_t>(row)]; };
  std::size_t longest = 0;
  bool asked = false;
  for (const StepRow& row : heads.rows) {
    longest = std::max(longest, (row.*heads.seen).size());
    asked = asked || asks(row, heads.layer);
  }
  const Index blocks = count < few_rows && !asked ? heads.shape.heads : 1;
  const Index each = heads.shape.heads / blocks;
  const Matrix<float> weights = workspace.arena.matrix(
      workspace.threads.threads(), kernels::attend_cached_scratch(heads.shape, each, static_cast<Index>(longest)));
  workspace.threads.run(count * blocks, [&](Index task, int worker) noexcept {
    const Index row = task / blocks;
    const std::span<const std::int32_t> places = row_at(row).*heads.seen;
    const Index next_row = row + workspace.threads.threads();
    const auto next = blocks == 1 && next_row < count ? row_at(next_row).*heads.seen : std::span<const std::int32_t>();
    kernels::attend_cached(heads.shape, task % blocks * each, each, query.row(row), cache, places, next,
                           context.row(row), weights.row(worker));
    if (!heads.silenced.empty()) clear_silenced(heads, row, task % blocks * each, each, context);
    if (!asks(row_at(row), heads.layer)) return;
    add_heads(weights.row_span(worker).first(static_cast<std::size_t>(each) * places.size()), row_at(row).attention);
  });
}

}  // namespace heed
