// Multi-head cross-attention: one stack, the decoder, attends to the output of another, the encoder.
#pragma once

#include "layers/cached_heads.h"
#include "layers/heads.h"
#include "layers/linear.h"
#include "layers/ragged_rows.h"

namespace heed {

struct MemoryAttention {
  AttentionShape shape;
  Linear query;   // W^Q: (heads · d_k, d_model)
  Linear memory;  // W^K and W^V stacked: one product of the memory computes both
  Linear output;  // W^O: (d_model, heads · d_v)
};

// What backward needs of the forward pass.
struct MemoryAttentionTrace {
  RaggedRows x;
  RaggedRows memory;
  Matrix<float> query;        // (queries, heads · d_k)
  Matrix<float> projected;    // (memory rows, heads · (d_k + d_v))
  Matrix<float> context;      // (queries, heads · d_v)
  std::span<float> log_sums;  // (heads, queries)
};

// out (rows of x, d_model) = attention of x over the memory.
void memory_attention(const RaggedRows& x, const RaggedRows& memory, const MemoryAttention& weights, Matrix<float> out,
                      const Workspace& workspace, MemoryAttentionTrace* trace);
// dx is written as `dx` says; dmemory is added to, since every layer contributes to it.
void memory_attention_backward(Matrix<const float> dout, const MemoryAttention& weights,
                               const MemoryAttentionTrace& trace, const MemoryAttention& gradient, Into dx,
                               Matrix<float> dmemory, const Workspace& workspace);

// Bytes of the KV cache per memory row.
Index memory_row_bytes(const MemoryAttention& weights, kernels::CacheType type);
// Projects the memory once for all steps; row i is stored in row to[i] of `cache`.
void store_memory(Matrix<const float> memory, const MemoryAttention& weights, kernels::CacheType type,
                  std::span<const std::int32_t> to, Matrix<std::byte> cache, const Workspace& workspace);
// One decoding step for each row of x; rows that request the attention of this layer get it.
void memory_attention_step(Matrix<const float> x, const CachedHeads& heads, const MemoryAttention& weights,
                           Matrix<const std::byte> cache, Matrix<float> out, const Workspace& workspace);

}  // namespace heed
