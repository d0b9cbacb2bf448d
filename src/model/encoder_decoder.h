// The two halves of a Transformer: each embeds its tokens and runs them through its stack.
//
// Teacher forcing: the decoder sees the target shifted right by one, so row i of a sentence has seen it up to position
// i − 1.
#pragma once

#include "model/batch.h"
#include "model/stack.h"

namespace heed {

struct HalfTrace {
  EmbeddingTrace embedding;
  StackTrace stack;
};

// Returns the memory (source tokens, d_model), which lives in the arena. A null trace means inference. `silenced` names
// for each sentence a head without output; empty: none.
Matrix<const float> encode(const Parameters& parameters, const Ragged& source, const Dropout& dropout,
                           const Workspace& workspace, HalfTrace* trace, std::span<const Silenced> silenced = {});
// dmemory is overwritten.
void encode_backward(const Parameters& parameters, const HalfTrace& trace, Matrix<float> dmemory,
                     const Parameters& gradient, const Dropout& dropout, const Workspace& workspace);

// Returns the hidden states (target tokens, d_model) that the output layer turns into logits.
Matrix<const float> decode(const Parameters& parameters, const Ragged& target, const RaggedRows& memory,
                           const Dropout& dropout, const Workspace& workspace, HalfTrace* trace);
// dhidden is overwritten; dmemory is added to.
void decode_backward(const Parameters& parameters, const HalfTrace& trace, Matrix<float> dhidden, Matrix<float> dmemory,
                     const Parameters& gradient, const Dropout& dropout, const Workspace& workspace);

}  // namespace heed
