// The output projection and the choice from it: the best tokens of each hypothesis, without storing a row of logits,
// let alone of probabilities.
//
// Logits exist only for a tile of columns at a time. Each part of the vocabulary yields its sum of exponentials and its
// best tokens; these are merged in the order of the parts, so the result does not depend on threads. A shortlist is one
// part.
#pragma once

#include "decoding/sample.h"
#include "kernels/top_k.h"
#include "layers/linear.h"

namespace heed {

// Which tokens may continue a hypothesis.
struct Rule {
  int forced = -1;              // only this token, unless −1
  std::span<const int> banned;  // none of these
  const Sampling* sampling = nullptr;
  std::uint64_t key = 0;  // random key of the draw
  bool scored = true;     // false: the probability of the choice is not needed
};

struct Choices {
  std::span<kernels::Candidate> candidates;  // the same number for each row, best first; empty places are no_candidate
  // For each row: a candidate's log-probability is its logit minus this. If no probability is needed, this is the logit
  // of the first candidate.
  std::span<float> log_sums;
};

// Rows of one sentence whose tokens are those of its shortlist.
struct ListedRows {
  Index first = 0;
  Index count = 0;
  std::span<const int> tokens;             // sorted; output i of the layers below is the logit of tokens[i]
  std::span<const Linear* const> outputs;  // of each model
};

// hidden[m] (rows, d_model) are the hidden states that outputs[m] turns into logits. In an ensemble the logits of the
// models are averaged, and so are their log-sums. The listed rows come last, sentence after sentence; all others choose
// from the whole vocabulary. A rule forces only tokens that are in the row's list.
void choose(std::span<const Linear* const> outputs, std::span<const Matrix<const float>> hidden,
            std::span<const Rule> rules, std::span<const ListedRows> listed, const Choices& choices,
            const Workspace& workspace);

}  // namespace heed
