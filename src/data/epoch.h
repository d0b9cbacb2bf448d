// The batches of one epoch, determined by the corpora, the seed and the number of the epoch.
//
// Batches group pairs of similar length; grouping and order are shuffled each epoch.
#pragma once

#include <span>
#include <vector>

#include "data/encoded_corpus.h"

namespace heed {

struct WeightedCorpus {
  const EncodedCorpus* corpus = nullptr;
  double weight = 1.0;  // passes per epoch; a fraction is a random sample, drawn again each epoch
};

struct EpochOptions {
  Index batch_tokens = 5000;  // target tokens per batch; source tokens may be twice as many
  std::uint64_t seed = 1;
};

class Epoch {
 public:
  struct Pair {
    std::uint32_t corpus;
    std::uint32_t pair;
  };

  // `number` counts from 1.
  Epoch(std::span<const WeightedCorpus> corpora, const EpochOptions& options, Index number);

  Index batches() const { return static_cast<Index>(order_.size()); }
  std::span<const Pair> batch(Index i) const;

 private:
  std::vector<Pair> pairs_;              // sorted by length
  std::vector<std::size_t> boundaries_;  // of batches in pairs_
  std::vector<std::uint32_t> order_;
};

}  // namespace heed
