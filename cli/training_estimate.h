// Estimates training speed and memory on this machine from a few seconds of real updates.
#pragma once

#include <utility>
#include <vector>

#include "model/config.h"

namespace heed::cli {

struct TrainingEstimate {
  double tokens_per_second = 0.0;  // target tokens
  std::size_t bytes = 0;           // weights, optimiser and one batch
};

// `lengths` are (source, target) lengths of the corpus; `batch_tokens` are target tokens. Throws Error when the model
// does not fit in memory.
TrainingEstimate estimate_training(const Config& config, const std::vector<std::pair<Index, Index>>& lengths,
                                   Index batch_tokens, int threads);

}  // namespace heed::cli
