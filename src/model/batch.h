// Sentences as one flat array of tokens with offsets: no padding anywhere.
#pragma once

#include <span>
#include <vector>

#include "base/special_tokens.h"
#include "model/config.h"

namespace heed {

// Sentence s has the tokens [offsets[s], offsets[s + 1]); offsets start with 0 and end with the number of tokens.
struct Ragged {
  std::span<const int> tokens;
  std::span<const Index> offsets;

  Index sentences() const { return offsets.empty() ? 0 : static_cast<Index>(offsets.size()) - 1; }
};

// Pairs of sentences. Source and target end in </s>; the decoder's input is the target shifted right by one.
struct Batch {
  Ragged source;
  Ragged target;
};

// Throws Error that names the side, the sentence and the remedy: no arithmetic ever sees an id outside the vocabulary,
// an empty sentence, or one longer than the learned positions.
void check(const Batch& batch, const Config& config);
void check_source(const Ragged& source, const Config& config);

// Owns the arrays of a batch that is built sentence by sentence.
class BatchBuilder {
 public:
  void add(std::span<const int> source, std::span<const int> target);
  void clear();
  Batch batch() const { return {source_.view(), target_.view()}; }

 private:
  struct Side {
    std::vector<int> tokens;
    std::vector<Index> offsets{0};

    Ragged view() const { return {tokens, offsets}; }
  };
  Side source_;
  Side target_;
};

}  // namespace heed
