// The sub-layers that encoder and decoder layers are made of, each with its residual connection.
#pragma once

#include "layers/attention.h"
#include "layers/feed_forward.h"
#include "layers/residual.h"
#include "model/config.h"

namespace heed {

// What stays the same from layer to layer of a stack.
struct Stack {
  const Config& config;
  std::span<const Index> offsets;  // of the sentences that run through it
  const Dropout& dropout;
  const Workspace& workspace;

  Residual residual(const LayerNorm& norm) const { return {norm, config.norm, dropout.kernel_rate()}; }
  std::span<const std::uint64_t> keys(int site) const { return dropout_keys(dropout, site, offsets, workspace.arena); }
};

struct AttentionSublayerTrace {
  AttentionTrace attention;
  ResidualTrace residual;
};

struct FeedForwardSublayerTrace {
  FeedForwardTrace feed_forward;
  ResidualTrace residual;
};

// A part of a trace, or null where there is none.
template <class Trace, class Part>
Part* part(Trace* trace, Part Trace::*member) {
  return trace == nullptr ? nullptr : &(trace->*member);
}

// Each returns the sub-layer's output; `site` numbers its dropout mask.
Matrix<float> add_self_attention(Matrix<const float> x, const AttentionWeights& weights, const LayerNorm& norm,
                                 kernels::Mask mask, int site, const Stack& stack, AttentionSublayerTrace* trace);
Matrix<float> add_encoder_attention(Matrix<const float> x, const Memory& memory, const AttentionWeights& weights,
                                    const LayerNorm& norm, int site, const Stack& stack, AttentionSublayerTrace* trace);
Matrix<float> add_feed_forward(Matrix<const float> x, const FeedForwardWeights& weights, const LayerNorm& norm,
                               int site, const Stack& stack, FeedForwardSublayerTrace* trace);

// In each dx holds the gradient of the output and is replaced by that of the input; dmemory is added to.
void add_self_attention_backward(Matrix<float> dx, const AttentionWeights& weights, const LayerNorm& norm,
                                 kernels::Mask mask, const Stack& stack, const AttentionSublayerTrace& trace,
                                 const AttentionWeights& gradient, const LayerNorm& norm_gradient);
void add_encoder_attention_backward(Matrix<float> dx, Matrix<float> dmemory, const Memory& memory,
                                    const AttentionWeights& weights, const LayerNorm& norm, const Stack& stack,
                                    const AttentionSublayerTrace& trace, const AttentionWeights& gradient,
                                    const LayerNorm& norm_gradient);
void add_feed_forward_backward(Matrix<float> dx, const FeedForwardWeights& weights, const LayerNorm& norm,
                               const Stack& stack, const FeedForwardSublayerTrace& trace,
                               const FeedForwardWeights& gradient, const LayerNorm& norm_gradient);

// The layer norm that ends a stack with Norm::before.
struct FinalNormTrace {
  Matrix<const float> x;
  std::span<kernels::NormStats> stats;
};
Matrix<const float> final_norm(Matrix<const float> x, const LayerNorm& norm, const Workspace& workspace,
                               FinalNormTrace* trace);

}  // namespace heed
