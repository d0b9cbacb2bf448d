// Attention of one decoding step: each hypothesis's query over its rows of the KV cache.
#pragma once

#include "kernels/attend_cached.h"
#include "layers/heads.h"
#include "layers/step_row.h"

namespace heed {

kernels::CacheShape cache_shape(const AttentionShape& shape, kernels::CacheType type);

// Who attends to what: the rows of StepRow::past or StepRow::memory, or some of the past.
struct CachedHeads {
  kernels::CacheShape shape;
  std::span<const StepRow> rows;
  std::span<const std::int32_t> StepRow::*seen;
  std::span<const int> silenced = {};  // for each row a head whose output is 0 instead, or no_head; empty: none in any
  Index layer = -1;                    // rows that request the weights of this layer get them; −1: none
};

// query (rows, heads · d_k, or more); context (rows, heads · d_v).
void attend_cached(const CachedHeads& heads, Matrix<const float> query, Matrix<const std::byte> cache,
                   Matrix<float> context, const Workspace& workspace);

}  // namespace heed
