#include "layers/mixers/ssru.h"

#include <algorithm>
#include <optional>

#include "kernels/elementwise.h"
#include "kernels/ssru.h"

namespace heed {
namespace {

using kernels::Direction;

constexpr Index channels_per_task = 64;

// Adjacent channels that run the same way.
struct Channels {
  Index first;
  Index count;
  Direction direction;

  template <class T>
  Matrix<T> of(Matrix<T> m) const {
    return m.cols_from(first, count);
  }
};

// The channels of a layer, split into tasks.
struct ChannelBlocks {
  Index width;
  Index forwards;  // channels; the others run backwards

  explicit ChannelBlocks(const MixerShape& shape)
      : width(shape.d_model), forwards(shape.sight == Sight::past ? shape.d_model : shape.d_model / 2) {}

  Index count() const {
    return divide_up(forwards, channels_per_task) + divide_up(width - forwards, channels_per_task);
  }
  Channels operator[](Index block) const {
    const Index before = divide_up(forwards, channels_per_task);
    if (block < before) return part(block * channels_per_task, forwards, Direction::forwards);
    return part(forwards + (block - before) * channels_per_task, width, Direction::backwards);
  }

 private:
  static Channels part(Index first, Index end, Direction direction) {
    return {first, std::min(channels_per_task, end - first), direction};
  }
};

// Calls body(channels, cut) for each block of channels of each sentence; cut(m) is that part of a matrix.
template <class Body>
void for_each_block(const MixerShape& shape, std::span<const Index> offsets, const Workspace& workspace,
                    const Body& body) {
  const ChannelBlocks blocks(shape);
  const auto sentences = static_cast<Index>(offsets.size()) - 1;
  workspace.threads.run(sentences * blocks.count(), [&](Index task, int) noexcept {
    const auto sentence = static_cast<std::size_t>(task / blocks.count());
    const Channels channels = blocks[task % blocks.count()];
    const Index first = offsets[sentence];
    const Index count = offsets[sentence + 1] - first;
    body(channels, [&](auto m) { return channels.of(m).rows_from(first, count); });
  });
}

// The two halves of the product's output, or of its gradient.
Matrix<float> candidate_of(Matrix<float> projected) { return projected.cols_from(0, projected.cols / 2); }
Matrix<float> gate_of(Matrix<float> projected) { return projected.cols_from(projected.cols / 2, projected.cols / 2); }

float* state_row(const MixerRows& kept, std::int32_t row) {
  return row == no_row ? nullptr : reinterpret_cast<float*>(kept.state.row(row));
}

}  // namespace

MixerTensors ssru_tensors(const MixerShape& shape) {
  return {.name = "mixer",
          .input = {{{"candidate", shape.d_model}, {"forget", shape.d_model}}},
          .channels = "forget.bias",
          .channel_rows = 1,
          .kept = shape.d_model};
}

void mix_ssru(const RaggedRows& x, const Mixer& mixer, Matrix<float> out, const Workspace& workspace,
              MixerTrace* trace) {
  Arena& arena = workspace.arena;
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const Matrix<float> projected = arena.matrix(x.rows.rows, 2 * out.cols);
  const Matrix<float> states = arena.matrix(x.rows.rows, out.cols);
  linear(x.rows, mixer.input, projected, workspace);
  const PhaseTimer timer(workspace, Phase::activation);
  for_each_block(mixer.shape, x.offsets, workspace, [&](const Channels& channels, const auto& cut) noexcept {
    kernels::ssru(cut(candidate_of(projected)), cut(gate_of(projected)), channels.of(mixer.channels).row_span(0),
                  channels.direction, cut(states), cut(out));
  });
  // The gates have replaced their inputs in `projected`.
  if (trace != nullptr) *trace = {x, projected, states, {}, {}};
}

void mix_ssru_backward(Matrix<const float> dout, const Mixer& mixer, const MixerTrace& trace, const Mixer& gradient,
                       Into dx, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> dprojected = workspace.arena.matrix(trace.projected.rows, trace.projected.cols);
  {
    const PhaseTimer timer(workspace, Phase::activation);
    for_each_block(mixer.shape, trace.x.offsets, workspace, [&](const Channels& channels, const auto& cut) noexcept {
      kernels::ssru_backward(cut(dout), cut(candidate_of(trace.projected)), cut(gate_of(trace.projected)),
                             cut(trace.kept), channels.direction, cut(candidate_of(dprojected)),
                             cut(gate_of(dprojected)));
    });
    const ChannelBlocks blocks(mixer.shape);
    workspace.threads.run(blocks.count(), [&](Index block, int) noexcept {
      const Channels channels = blocks[block];
      kernels::add_column_sums(channels.of(gate_of(dprojected)), channels.of(gradient.channels).row_span(0));
    });
  }
  linear_backward(dprojected, trace.x.rows, mixer.input, gradient.input, dx, workspace);
}

// States stay f32 in a model of 8-bit integers: they add up over a whole sentence.
MixerMemory ssru_memory(const MixerShape& shape, kernels::CacheType) {
  return {.state = shape.d_model * static_cast<Index>(sizeof(float))};
}

void ssru_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
               Matrix<float> out, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> projected = workspace.arena.matrix(x.rows, 2 * out.cols);
  linear(x, mixer.input, projected, workspace);
  for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
    for (Index i = first; i < first + count; ++i) {
      const StepRow& row = rows[static_cast<std::size_t>(i)];
      kernels::ssru_step(candidate_of(projected).row_span(i), gate_of(projected).row(i), mixer.channels.row_span(0),
                         state_row(kept, row.state_from), state_row(kept, row.state), out.row(i));
    }
  });
}

}  // namespace heed
