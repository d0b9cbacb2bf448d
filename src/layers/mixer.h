// A mixer: the sub-layer through which the positions of a sentence see each other.
//
// Every kind does three things: one product projects all rows of the batch, a kernel mixes the projected rows inside
// each sentence, one product projects the result. Only the kernel, and what it keeps while decoding, differs. A kind is
// one file in layers/mixers and one line in mixer.cpp; docs/extending.md says how to add one.
#pragma once

#include <array>

#include "base/enum_names.h"
#include "kernels/attend_cached.h"
#include "layers/heads.h"
#include "layers/linear.h"
#include "layers/ragged_rows.h"
#include "layers/step_row.h"

namespace heed {

enum class MixerKind { attention, window, ssru };
template <>
struct EnumNames<MixerKind> {
  static constexpr std::array names{"attention", "window", "ssru"};
};

enum class Sight { whole, past };  // encoder layers see the whole sentence, decoder layers only the past

struct MixerShape {
  MixerKind kind = MixerKind::attention;
  Sight sight = Sight::whole;
  Index d_model = 0;
  AttentionShape heads{};  // for the kinds of attention
  bool bias = false;       // in their projections
  // Keys that a position sees on each side, or with Sight::past up to itself; 0: all.
  Index window = 0;
  Index globals = 0;  // the first positions, which see all others and are seen by all
};

// What a kind does not use is empty.
struct Mixer {
  MixerShape shape;
  Linear input;            // attention: W^Q, W^K and W^V stacked, so that one product computes all three
  Linear output;           // W^O
  Matrix<float> channels;  // per-channel parameters; ssru: b_f
};

// The tensors of a mixer, for visitors of the weights.
struct MixerTensors {
  struct Projection {
    const char* name = nullptr;
    Index rows = 0;
  };
  const char* name;                   // of the sub-layer
  std::array<Projection, 3> input{};  // stacked
  Index output_inputs = 0;            // columns of W^O; 0: there is none
  bool attends = false;               // the input is queries, keys and values
  const char* channels = nullptr;     // null: there are none
  Index channel_rows = 0;
  Index kept = 0;  // floats per row that backward needs besides the projections
};
MixerTensors mixer_tensors(const MixerShape& shape);

// What mix_backward needs of the forward pass. Trivially copyable: it lives in the arena.
struct MixerTrace {
  RaggedRows x;
  Matrix<float> projected;  // the kernel's input
  Matrix<float> kept;       // one row per token: states and gates; empty in attention
  Matrix<float> context;    // the input of `output`
  std::span<float> sums;    // attention: (heads, rows) logarithms of the softmax denominators
};

// out (rows of x, d_model). A null trace means inference.
void mix(const RaggedRows& x, const Mixer& mixer, Matrix<float> out, const Workspace& workspace, MixerTrace* trace);
// Weight gradients are added to; the gradient of x is written as `dx` says.
void mix_backward(Matrix<const float> dout, const Mixer& mixer, const MixerTrace& trace, const Mixer& gradient, Into dx,
                  const Workspace& workspace);

// Bytes kept while decoding: per position of a hypothesis (KV cache), and per hypothesis (recurrent state).
struct MixerMemory {
  Index past = 0;
  Index state = 0;
};
MixerMemory mixer_memory(const MixerShape& shape, kernels::CacheType type);

// The rows of a layer that StepRow indexes.
struct MixerRows {
  kernels::CacheType type = kernels::CacheType::f32;
  Matrix<std::byte> past;
  Matrix<std::byte> state;
  std::span<const int> silenced = {};  // for each row a head whose output is 0 instead, or no_head; empty: none in any
};

// One decoding step for each row of x (hypotheses, d_model): stores what is kept of it and computes `out`.
void mix_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
              Matrix<float> out, const Workspace& workspace);

}  // namespace heed
