// The encoder: embeddings, then N layers of self-attention and feed-forward.
#pragma once

#include "model/batch.h"
#include "model/parameters.h"

namespace heed {

struct EncoderLayerTrace {
  AttentionTrace self_attention;
  ResidualTrace self_attention_residual;
  FeedForwardTrace feed_forward;
  ResidualTrace feed_forward_residual;
};

struct EncoderTrace {
  EmbeddingInput embedding;
  std::span<EncoderLayerTrace> layers;
  Matrix<const float> norm_input;  // with Norm::before
  std::span<kernels::NormStats> norm_stats;
};

// The layer norm that ends a stack with Norm::before; `trace` is any stack's.
template <class Trace>
Matrix<const float> final_norm(Matrix<const float> x, const LayerNorm& norm, const Workspace& workspace, Trace* trace) {
  const PhaseTimer timer(workspace, Phase::residual);
  const Matrix<float> y = workspace.arena.matrix(x.rows, x.cols);
  const std::span<kernels::NormStats> stats = workspace.arena.array<kernels::NormStats>(x.rows);
  layer_norm(x, norm, y, stats, workspace);
  if (trace != nullptr) {
    trace->norm_input = x;
    trace->norm_stats = stats;
  }
  return y;
}

// Returns the memory (source tokens, d_model), which lives in the arena. A null trace means inference.
Matrix<const float> encode(const Config& config, const Parameters& parameters, const Ragged& source,
                           const Dropout& dropout, const Workspace& workspace, EncoderTrace* trace);

// dmemory is used up.
void encode_backward(const Config& config, const Parameters& parameters, const Ragged& source, const Dropout& dropout,
                     const EncoderTrace& trace, Matrix<float> dmemory, const Parameters& gradient,
                     const Workspace& workspace);

}  // namespace heed
