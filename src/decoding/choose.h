// The output projection and what is chosen from it: the best tokens of each hypothesis, without storing a row of
// logits, let alone of probabilities.
//
// Logits exist for some columns at a time. Each part of the vocabulary gives its sum of exponentials and its best
// tokens; these are joined in the order of the parts, so the result does not depend on threads.
#pragma once

#include "decoding/sample.h"
#include "kernels/top_k.h"
#include "layers/linear.h"

namespace heed {

// What a hypothesis may go on with.
struct Rule {
  int forced = -1;              // this token alone, if it is one
  std::span<const int> banned;  // none of these
  const Sampling* sampling = nullptr;
  std::uint64_t key = 0;  // of the draw
  bool scored = true;     // false: nobody asks for the probability of what is chosen
};

struct Choices {
  std::span<kernels::Candidate> candidates;  // equally many for each row, best first; empty places are no_candidate
  // Of each row: the log-probability of a candidate is its logit minus this. Where no probability is asked for, this is
  // the logit of the first one.
  std::span<float> log_sums;
};

// hidden[m] (rows, d_model) are the hidden states that outputs[m] turns into logits; the logits of several models are
// averaged, and so are their log-sums.
void choose(std::span<const Linear* const> outputs, std::span<const Matrix<const float>> hidden,
            std::span<const Rule> rules, const Choices& choices, const Workspace& workspace);

}  // namespace heed
