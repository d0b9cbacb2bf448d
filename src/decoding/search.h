// Beam search: the most probable translations of a batch of sentences.
//
// A translation Y has the score log P(Y) / lp(Y) with lp = ((5 + |Y|) / 6)^α, where |Y| counts </s>. A search ends when
// no live hypothesis can reach a better score than the worst result, at whatever length. With a beam of 1 it takes the
// most probable token at every step.
//
// A sentence's result has the same bits in any batch, at any place in it and on any number of threads. The model must
// be packed; one const model may serve many searches at once, each with a workspace of its own.
#pragma once

#include <functional>
#include <vector>

#include "model/transformer.h"

namespace heed {

struct SearchOptions {
  Index beam = 4;
  float alpha = 0.6f;
  Index n_best = 1;         // translations of a sentence; at most the beam
  Index extra_length = 50;  // a translation has at most this many pieces more than the source, </s> not counted
  Index batch = 64;         // sentences at work side by side
};

// Throws Error that names the first option that does not fit, its value and what would.
void check(const SearchOptions& options);

// lp of a translation of this length, </s> counted.
double length_penalty(Index length, float alpha);

struct Hypothesis {
  std::vector<int> tokens;       // without </s>
  double log_probability = 0.0;  // of the tokens and </s>
  double score = 0.0;
  bool finished = false;  // false: it was ended at the length limit
};

// Called with each sentence's number and its hypotheses, best first, as soon as they are known: in no particular order.
using Found = std::function<void(Index sentence, std::vector<Hypothesis> hypotheses)>;

// Each source ends in </s>. With learned positions translations are no longer than those. Throws Error for sources that
// do not fit the model and for a model whose output is not a number.
void search(const Transformer& model, const Ragged& source, const SearchOptions& options, const Workspace& workspace,
            const Found& found);

// The hypotheses of every sentence, in the order of the sentences.
std::vector<std::vector<Hypothesis>> search(const Transformer& model, const Ragged& source,
                                            const SearchOptions& options, const Workspace& workspace);

}  // namespace heed
