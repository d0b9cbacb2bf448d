// The encoder: embeddings, then N layers of self-attention and feed-forward.
#pragma once

#include "model/batch.h"
#include "model/parameters.h"
#include "model/sublayers.h"

namespace heed {

struct EncoderLayerTrace {
  AttentionSublayerTrace self_attention;
  FeedForwardSublayerTrace feed_forward;
};

struct EncoderTrace {
  EmbeddingInput embedding;
  std::span<EncoderLayerTrace> layers;
  FinalNormTrace norm;  // with Norm::before
};

// Returns the memory (source tokens, d_model), which lives in the arena. A null trace means inference.
Matrix<const float> encode(const Config& config, const Parameters& parameters, const Ragged& source,
                           const Dropout& dropout, const Workspace& workspace, EncoderTrace* trace);

// dmemory is used up.
void encode_backward(const Config& config, const Parameters& parameters, const Ragged& source, const Dropout& dropout,
                     const EncoderTrace& trace, Matrix<float> dmemory, const Parameters& gradient,
                     const Workspace& workspace);

}  // namespace heed
