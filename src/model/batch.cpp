#include "model/batch.h"

#include "heed/error.h"

namespace heed {
namespace {

void check_side(const char* side, const Ragged& ragged, Index vocabulary, const Config& config) {
  for (std::size_t s = 0; s + 1 < ragged.offsets.size(); ++s) {
    const Index length = ragged.offsets[s + 1] - ragged.offsets[s];
    // Made only for an error: a training step allocates nothing.
    const auto place = [&] { return std::string(side) + " sentence " + std::to_string(s); };
    if (length <= 0) throw Error(place() + " of the batch is empty; remove such pairs");
    if (length > config.most_positions()) {
      throw Error(place() + " has " + std::to_string(length) + " tokens, but there are " +
                  std::to_string(config.most_positions()) +
                  " positions; shorten the sentence or train with more positions");
    }
    for (Index i = ragged.offsets[s]; i < ragged.offsets[s + 1]; ++i) {
      const int token = ragged.tokens[static_cast<std::size_t>(i)];
      if (token >= 0 && token < vocabulary) continue;
      throw Error(place() + ": token id " + std::to_string(token) + " at position " +
                  std::to_string(i - ragged.offsets[s]) + " is outside the vocabulary of " +
                  std::to_string(vocabulary) + "; the text was encoded with a different tokenizer");
    }
  }
}

}  // namespace

void check(const Batch& batch, const Config& config) {
  if (batch.source.sentences() != batch.target.sentences()) {
    throw Error("the batch has " + std::to_string(batch.source.sentences()) + " source and " +
                std::to_string(batch.target.sentences()) + " target sentences; they must be pairs");
  }
  check_source(batch.source, config);
  check_side("target", batch.target, config.target_vocab, config);
}

void check_source(const Ragged& source, const Config& config) {
  check_side("source", source, config.source_vocab, config);
}

void BatchBuilder::add(std::span<const int> source, std::span<const int> target) {
  source_.tokens.insert(source_.tokens.end(), source.begin(), source.end());
  source_.offsets.push_back(static_cast<Index>(source_.tokens.size()));
  target_.tokens.insert(target_.tokens.end(), target.begin(), target.end());
  target_.offsets.push_back(static_cast<Index>(target_.tokens.size()));
}

void BatchBuilder::clear() {
  source_.tokens.clear();
  target_.tokens.clear();
  source_.offsets.assign(1, 0);
  target_.offsets.assign(1, 0);
}

}  // namespace heed
