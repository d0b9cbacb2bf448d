// The decoder: embeddings of the target shifted right, then N layers of masked self-attention, attention over the
// encoder's output and feed-forward.
#pragma once

#include "model/batch.h"
#include "model/parameters.h"
#include "model/sublayers.h"

namespace heed {

struct DecoderLayerTrace {
  AttentionSublayerTrace self_attention;
  AttentionSublayerTrace encoder_attention;
  FeedForwardSublayerTrace feed_forward;
};

struct DecoderTrace {
  EmbeddingInput embedding;
  std::span<DecoderLayerTrace> layers;
  FinalNormTrace norm;  // with Norm::before
};

// Returns the hidden states (target tokens, d_model) that the output layer turns into logits; row i of a sentence has
// seen the target up to position i − 1. They live in the arena. A null trace means inference.
Matrix<const float> decode(const Config& config, const Parameters& parameters, const Ragged& target,
                           const Memory& memory, const Dropout& dropout, const Workspace& workspace,
                           DecoderTrace* trace);

// dhidden is used up; dmemory is added to.
void decode_backward(const Config& config, const Parameters& parameters, const Ragged& target, const Memory& memory,
                     const Dropout& dropout, const DecoderTrace& trace, Matrix<float> dhidden, Matrix<float> dmemory,
                     const Parameters& gradient, const Workspace& workspace);

}  // namespace heed
