// Beam search: the most probable translations of sentences, many of them side by side.
//
// A search ends when no live hypothesis can reach a better score than the worst result, at whatever length. With a beam
// of 1 it takes the most probable token at every step. Several models of one vocabulary work together: the score is the
// mean of their log-probabilities.
//
// A sentence's result has the same bits in any company, at any place and on any number of threads. The models must be
// packed; one const model may serve many searches at once, each with a workspace of its own.
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
  std::vector<std::int32_t> alignment;   // for each token a piece of the source; empty unless asked for
  std::vector<float> attention;          // (tokens and </s>, source tokens): weights, likewise
  double log_probability = 0.0;          // of the tokens and </s>
  double score = 0.0;
  bool finished = false;  // false: it was ended at the length limit
};

// A sentence to be translated.
struct Request {
  std::vector<int> source;  // ends in </s>
  std::vector<int> prefix;  // pieces that every translation begins with
  bool whole = false;       // the prefix is the whole translation: it is scored, nothing is searched for
  SearchOptions options;
  // Called once, on a thread of the search, with the hypotheses, best first, or with what went wrong.
  std::function<void(std::vector<Hypothesis> hypotheses, const std::exception_ptr& error)> done;
};

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
