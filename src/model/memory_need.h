// How much memory a model will need, before any is allocated.
#pragma once

#include <cstddef>

#include "model/config.h"

namespace heed {

struct MemoryNeed {
  std::size_t parameters = 0;   // the weights themselves
  std::size_t optimiser = 0;    // gradient and the two moments
  std::size_t packed = 0;       // the weights laid out for the product kernels
  std::size_t activations = 0;  // of one batch

  std::size_t total() const { return parameters + optimiser + packed + activations; }
};

enum class Purpose { training, inference };

// With batches of this many tokens.
MemoryNeed memory_need(const Config& config, Index source_tokens, Index target_tokens, Purpose purpose);

// What the mixers of the decoder keep while decoding, all layers together.
MixerMemory decoding_memory(const Config& config, kernels::CacheType type);

// Throws Error if there are too many parameters to count.
void check_size(const Config& config);
// Throws Error if the weights, with gradient and moments in training, exceed this machine's memory.
void check_memory(const Config& config, Purpose purpose);

}  // namespace heed
