// Keys and values that decoding keeps: of the encoder's output, projected once a sentence, and of every position that a
// hypothesis has passed.
//
// Rows never move. A hypothesis names the rows of its past, so hypotheses share what they have in common and a change
// of places in the beam copies a list of numbers, not keys and values. All memory is the arena's.
#pragma once

#include <cstdint>

#include "model/transformer.h"

namespace heed {

struct LayerCache {
  Matrix<float> past;    // (positions of all hypotheses, heads · (d_k + d_v)): keys, then values
  Matrix<float> memory;  // (source tokens of the sentences at work, the same)
};

struct Cache {
  Cache(const Config& config, Index past_rows, Index memory_rows, Arena& arena);

  std::span<LayerCache> layers;
  std::span<int> tokens;                   // the decoder's input at each row of the past
  std::span<std::int32_t> memory_numbers;  // 0, 1, 2 …: the sources' rows lie side by side

  std::span<const std::int32_t> memory_rows(Index first, Index count) const {
    return memory_numbers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
};

// Floats that a row takes in all layers together.
Index cache_row_size(const Config& config);

// Projects the encoder's output for every decoder layer; sentence s goes to the rows from first_rows[s] on.
void store_memory(const Transformer& model, const Memory& memory, std::span<const Index> first_rows, const Cache& cache,
                  const Workspace& workspace);

}  // namespace heed
