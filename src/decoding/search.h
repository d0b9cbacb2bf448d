// Beam search: the most probable translations of many sentences at once, by continuous batching.
//
// A search ends when no live hypothesis can reach a better score than the worst result, at any length. A beam of 1 is
// greedy search. The score of an ensemble, models that share a vocabulary, is the mean of their log-probabilities.
//
// A sentence's result has the same bits in any batch, in any slot and on any number of threads. The models must be
// packed; one const model may serve many searches at once, each with its own workspace.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "decoding/request.h"
#include "decoding/step_model.h"

namespace heed {

// lp(Y) = ((5 + |Y|) / 6)^α, or |Y|^α (`power`); |Y| counts </s>.
double length_penalty(Index length, const SearchOptions& options);

// Throws Error if a model cannot translate or the models cannot form an ensemble.
void check_models(StepModels models);
// Throws Error if the options name a decoder layer that the first model does not have.
void check_alignment_layer(const SearchOptions& options, StepModels models);

class Search {
 public:
  // At most `batch` sentences are active at a time.
  Search(StepModels models, Index batch, const Workspace& workspace);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search();

  // Returns the next waiting sentence, or null if there is none. Searches on other threads may call it, too.
  using Next = std::function<std::unique_ptr<Request>()>;

  // Continuous batching: sentences enter as soon as there is room for them and leave when they are done; returns when
  // none is active and none waits.
  void run(const Next& next);

 private:
  class Live;
  std::unique_ptr<Live> live_;
};

// The hypotheses of every sentence, in their order. Throws the first error.
std::vector<std::vector<Hypothesis>> search(StepModels models, const Ragged& sources, const SearchOptions& options,
                                            Index batch, const Workspace& workspace);

}  // namespace heed
