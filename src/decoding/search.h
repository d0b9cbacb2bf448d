// Beam search: the most probable translations of many sentences at once, by continuous batching.
//
// A search ends when no live hypothesis can reach a better score than the worst result, at any length. A beam of 1 is
// greedy search. The score of an ensemble, models that share a vocabulary, is the mean of their log-probabilities.
//
// A sentence's result has the same bits in any batch, in any slot and on any number of threads. The models must be
// packed; one const model may serve many searches at once, each with its own workspace.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "decoding/step_model.h"
#include "heed/options.h"

namespace heed {

// lp of a translation of this length, </s> counted.
double length_penalty(Index length, const SearchOptions& options);

struct Hypothesis {
  std::vector<int> tokens;               // without </s>
  std::vector<float> log_probabilities;  // of each token and of </s>
  std::vector<std::int32_t> alignment;   // for each token a source piece; empty unless requested
  std::vector<float> attention;          // (tokens and </s>, source tokens): weights, likewise
  double log_probability = 0.0;          // of the tokens and </s>
  double score = 0.0;
  bool finished = false;  // false: cut off at the length limit
};

// A sentence to translate or to score.
struct Request {
  std::vector<int> source;  // ends in </s>
  std::vector<int> prefix;  // forced: every translation begins with these pieces
  bool whole = false;       // the prefix is the whole translation: score it by teacher forcing, without search
  SearchOptions options;
  // Called once, on a thread of the search, with the hypotheses, best first, or with the error.
  std::function<void(std::vector<Hypothesis> hypotheses, const std::exception_ptr& error)> done;
};

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
