#include "layers/mixers/window.h"

#include <algorithm>

#include "layers/mixers/attention.h"

namespace heed {
namespace {

// The rows of the past that the last position sees; they live in the arena if they are not contiguous.
std::span<const std::int32_t> seen_of(std::span<const std::int32_t> past, const MixerShape& shape, Arena& arena) {
  const auto window = static_cast<std::size_t>(shape.window);
  const auto globals = static_cast<std::size_t>(shape.globals);
  if (past.size() <= globals + window) return past;
  if (globals == 0) return past.last(window);
  const std::span<std::int32_t> seen = arena.array<std::int32_t>(shape.globals + shape.window);
  std::ranges::copy(past.first(globals), seen.begin());
  std::ranges::copy(past.last(window), seen.begin() + shape.globals);
  return seen;
}

}  // namespace

void window_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
                 Matrix<float> out, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const std::span<StepRow> narrowed = workspace.arena.array<StepRow>(x.rows);
  std::ranges::copy(rows, narrowed.begin());
  for (StepRow& row : narrowed) row.past = seen_of(row.past, mixer.shape, workspace.arena);
  attention_step(x, narrowed, mixer, kept, out, workspace);
}

}  // namespace heed
