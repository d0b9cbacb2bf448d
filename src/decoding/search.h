// Beam search: the most probable translations of sentences, many of them side by side.
//
// A search ends when no live hypothesis can reach a better score than the worst result, at whatever length. With a beam
// of 1 it takes the most probable token at every step. Several models of one vocabulary work together: the score is the
// mean of their log-probabilities.
//
// A sentence's result has the same bits in any company, at any place and on any number of threads. The models must be
// packed; one const model may serve many searches at once, each with a workspace of its own.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "decoding/request.h"
#include "decoding/step_model.h"

namespace heed {

// lp of a translation of this length, </s> counted.
double length_penalty(Index length, const SearchOptions& options);

// Throws Error when the models cannot work together.
void check_models(StepModels models);
// Throws Error when the options ask for a decoder layer that the first model lacks.
void check_alignment_layer(const SearchOptions& options, StepModels models);

class Search {
 public:
  // At most `batch` sentences are at work at a time.
  Search(StepModels models, Index batch, const Workspace& workspace);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search();

  // Gives the next sentence that waits, or null when there is none. Searches on other threads may call it, too.
  using Next = std::function<std::unique_ptr<Request>()>;

  // Sentences enter as soon as there is room for them and leave when they are done; returns when none is at work and
  // none waits.
  void run(const Next& next);

 private:
  class Live;
  std::unique_ptr<Live> live_;
};

// The hypotheses of every sentence, in their order. Throws the first error.
std::vector<std::vector<Hypothesis>> search(StepModels models, const Ragged& sources, const SearchOptions& options,
                                            Index batch, const Workspace& workspace);

}  // namespace heed
