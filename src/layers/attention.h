// Multi-head attention over ragged batches: Concat(head_1 … head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).
//
// The projections are products over all tokens of the batch; the attention itself goes sentence by sentence and head by
// head, each pair of them on one thread. No sentence ever sees another, so there is no padding and no mask for it.
#pragma once

#include "kernels/attention.h"
#include "layers/linear.h"

namespace heed {

struct AttentionWeights {
  Linear query;   // (heads · d_k, d_model); in self-attention W^Q, W^K and W^V stacked: one product computes all three
  Linear memory;  // W^K and W^V stacked, for the encoder's output; empty in self-attention
  Linear output;  // W^O: (d_model, heads · d_v)
};

struct AttentionShape {
  Index heads;
  Index d_k;
  Index d_v;
};

// What attention_backward needs of the forward pass.
struct AttentionTrace {
  Matrix<const float> x;           // what the queries came from, and in self-attention the keys and values
  Matrix<float> projected;         // (queries, heads · d_k), or with keys and values in self-attention
  Matrix<float> memory_projected;  // (keys, heads · (d_k + d_v)); empty in self-attention
  Matrix<float> context;           // (queries, heads · d_v): the heads side by side
  std::span<float> log_sums;       // (heads, queries): the logarithms of the softmax denominators
};

// out (tokens, d_model) = attention of x over itself.
void self_attention(Matrix<const float> x, const AttentionWeights& weights, const AttentionShape& shape,
                    std::span<const Index> offsets, kernels::Mask mask, Matrix<float> out, const Workspace& workspace,
                    AttentionTrace* trace);
// dx = the gradient of x, or added to it, as `start` says.
void self_attention_backward(Matrix<const float> dout, const AttentionWeights& weights, const AttentionShape& shape,
                             std::span<const Index> offsets, kernels::Mask mask, const AttentionTrace& trace,
                             const AttentionWeights& gradient, Matrix<float> dx, kernels::Start start,
                             const Workspace& workspace);

// The encoder's output as the decoder sees it.
struct Memory {
  Matrix<const float> rows;  // (source tokens, d_model)
  std::span<const Index> offsets;
};

// out (target tokens, d_model) = attention of x over the encoder's output.
void encoder_attention(Matrix<const float> x, const Memory& memory, const AttentionWeights& weights,
                       const AttentionShape& shape, std::span<const Index> offsets, Matrix<float> out,
                       const Workspace& workspace, AttentionTrace* trace);
// As self_attention_backward; dmemory is added to, as every decoder layer has its share in it.
void encoder_attention_backward(Matrix<const float> dout, const Memory& memory, const AttentionWeights& weights,
                                const AttentionShape& shape, std::span<const Index> offsets,
                                const AttentionTrace& trace, const AttentionWeights& gradient, Matrix<float> dx,
                                kernels::Start start, Matrix<float> dmemory, const Workspace& workspace);

}  // namespace heed
