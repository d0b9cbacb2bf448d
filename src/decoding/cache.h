// Keys and values that decoding keeps: of the encoder's output, projected once a sentence, and of every position that a
// hypothesis has passed.
//
// Rows never move. A hypothesis names the rows of its past, so hypotheses share what they have in common and a change
// of places in the beam copies a list of numbers, not keys and values. All memory is the arena's.
#pragma once

#include <cstdint>

#include "kernels/attend_cached.h"
#include "model/transformer.h"

namespace heed {

struct LayerCache {
  Matrix<std::byte> past;    // (positions of all hypotheses, bytes of a row)
  Matrix<std::byte> memory;  // (source tokens of the sentences at work, the same)
};

// The layers of a row lie side by side: few rows in use then take few pages.
struct Cache {
  Cache(const Transformer& model, Index past_rows, Index memory_rows, Arena& arena);

  kernels::CacheShape shape;
  std::span<LayerCache> layers;
};

// A model in 8-bit integers keeps its keys and values in them, too.
kernels::CacheShape cache_shape(const Transformer& model);

// Bytes that a row of the past, or one of the memory, takes in all layers together.
Index cache_row_bytes(const Transformer& model);

// Projects the encoder's output for every decoder layer; its row i goes to row to[i] of the cache.
void store_memory(const Transformer& model, Matrix<const float> memory, std::span<const std::int32_t> to,
                  const Cache& cache, const Workspace& workspace);

}  // namespace heed
