// Attention of single queries over the KV cache, as in decoding.
//
// A row of the cache holds one position: the keys of all heads, then their values, so that a query reads it
// sequentially. In 8 bits a head's numbers are integer · scale, the integers within ±127, and the scales follow the
// integers: a quarter of the memory traffic, which bounds this kernel.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/matrix.h"

namespace heed::kernels {

enum class CacheType { f32, int8 };

struct CacheShape {
  Index heads;
  Index d_k;
  Index d_v;
  CacheType type;

  Index numbers() const { return heads * (d_k + d_v); }
  Index query_floats() const { return 1 + divide_up(d_k, 2); }  // room for a head's query in 16 bits, with its scale
};

// An odd number of cache lines, so that rows do not compete for the same cache sets.
Index cache_row_bytes(const CacheShape& shape) noexcept;

// key_value holds the keys of all heads, then their values.
void store_cached(const CacheShape& shape, const float* key_value, std::byte* row) noexcept;

// Floats that attend_cached needs for its weights and the scratch after them.
Index attend_cached_scratch(const CacheShape& shape, Index heads, Index rows) noexcept;

// For heads [first, first + count): softmax(q Kᵀ / √d_k) V over the rows of the cache at `rows`. query and context hold
// all heads; `weights` gets the attention weights, rows.size() for each of these heads. Also prefetches next_rows, if
// any, for the following call: they are scattered, so the hardware prefetcher cannot.
void attend_cached(const CacheShape& shape, Index first, Index count, const float* query, Matrix<const std::byte> cache,
                   std::span<const std::int32_t> rows, std::span<const std::int32_t> next_rows, float* context,
                   float* weights) noexcept;

}  // namespace heed::kernels
