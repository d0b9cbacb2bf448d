#include "data/epoch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace heed {
namespace {

struct Drawn {
  std::uint64_t order;  // sort key: target length, source length, random bits
  Epoch::Pair pair;
};

constexpr std::uint64_t longest = 0xffff;

std::uint64_t length_order(const EncodedCorpus& corpus, Index pair, std::uint64_t chance) {
  const std::uint64_t target = std::min<std::uint64_t>(corpus.target(pair).size(), longest);
  const std::uint64_t source = std::min<std::uint64_t>(corpus.source(pair).size(), longest);
  return target << 48 | source << 32 | chance >> 32;
}

// How often a pair occurs in this epoch: the integer part of the weight, plus 1 with the fractional part as
// probability.
int repetitions(double weight, std::uint64_t key, Index pair) {
  const double whole = std::floor(weight);
  const bool once_more = uniform(key, static_cast<std::uint64_t>(pair)) < weight - whole;
  return static_cast<int>(whole) + (once_more ? 1 : 0);
}

}  // namespace

Epoch::Epoch(std::span<const WeightedCorpus> corpora, const EpochOptions& options, Index number) {
  const std::uint64_t key = random_key(options.seed, static_cast<std::uint64_t>(number));
  std::vector<Drawn> drawn;
  for (std::uint32_t c = 0; c < corpora.size(); ++c) {
    const EncodedCorpus& corpus = *corpora[c].corpus;
    const std::uint64_t corpus_key = random_key(key, c + 1);
    std::uint64_t counter = 0;
    for (Index pair = 0; pair < corpus.counts().pairs; ++pair) {
      for (int again = repetitions(corpora[c].weight, corpus_key, pair); again > 0; --again) {
        drawn.push_back(
            {length_order(corpus, pair, random_key(~corpus_key, ++counter)), {c, static_cast<std::uint32_t>(pair)}});
      }
    }
  }
  std::sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) {
    if (a.order != b.order) return a.order < b.order;
    return a.pair.corpus != b.pair.corpus ? a.pair.corpus < b.pair.corpus : a.pair.pair < b.pair.pair;
  });

  pairs_.reserve(drawn.size());
  boundaries_.push_back(0);
  Index source_tokens = 0;
  Index target_tokens = 0;
  for (const Drawn& next : drawn) {
    const EncodedCorpus& corpus = *corpora[next.pair.corpus].corpus;
    const auto source = static_cast<Index>(corpus.source(next.pair.pair).size());
    const auto target = static_cast<Index>(corpus.target(next.pair.pair).size());
    const bool full =
        target_tokens + target > options.batch_tokens || source_tokens + source > 2 * options.batch_tokens;
    if (full && pairs_.size() > boundaries_.back()) {
      boundaries_.push_back(pairs_.size());
      source_tokens = target_tokens = 0;
    }
    source_tokens += source;
    target_tokens += target;
    pairs_.push_back(next.pair);
  }
  if (pairs_.size() > boundaries_.back()) boundaries_.push_back(pairs_.size());

  order_.resize(boundaries_.size() - 1);
  std::iota(order_.begin(), order_.end(), 0u);
  const std::uint64_t batch_key = random_key(key, 0);
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return random_key(batch_key, a) < random_key(batch_key, b); });
}

std::span<const Epoch::Pair> Epoch::batch(Index i) const {
  const std::size_t which = order_[static_cast<std::size_t>(i)];
  return std::span(pairs_).subspan(boundaries_[which], boundaries_[which + 1] - boundaries_[which]);
}

}  // namespace heed
