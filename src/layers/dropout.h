// Dropout masks computed from their coordinates: nothing is stored, and backward draws the same mask again.
//
// A mask depends on the seed, the update, the sentence's index in the update, the site in the model, the position and
// the channel. So accumulated micro-batches draw different masks, and any split of an update into micro-batches draws
// the same ones.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"
#include "tensor/arena.h"

namespace heed {

struct Dropout {
  float rate = 0.0f;
  std::uint64_t update_key = 0;  // from the seed and the number of the update
  Index first_sentence = 0;      // sentences of the update in earlier micro-batches

  kernels::DropoutRate kernel_rate() const;
};

// One key for each row of a ragged batch at one site of the model; empty if nothing is dropped.
std::span<const std::uint64_t> dropout_keys(const Dropout& dropout, int site, std::span<const Index> offsets,
                                            Arena& arena);

}  // namespace heed
