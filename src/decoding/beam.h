// The search for one sentence: its live hypotheses, and the best of those that have ended.
//
// Each step keeps the `beam` best continuations of the live hypotheses together. Those that end in </s> are done, the
// others live on. Of equal continuations the one of the earlier hypothesis wins, then the lower token, so a search has
// one result.
#pragma once

#include "decoding/search.h"
#include "decoding/step.h"
#include "kernels/top_k.h"

namespace heed {

class Beam {
 public:
  // Has the rows of the cache from first_row on, `beam` for each of at most `most_steps` positions.
  Beam(const SearchOptions& options, Index first_row, Index most_steps, std::span<int> row_tokens, Arena& arena);

  // A hypothesis of most_pieces pieces is ended by force; most_pieces is less than the beam's most_steps.
  void start(Index sentence, Index most_pieces, int first_token, std::span<const std::int32_t> memory);

  Index sentence() const { return sentence_; }
  bool done() const;
  Index live() const { return live_count_; }
  StepRow row(Index hypothesis) const;
  // Whether </s> is the only continuation left to the live hypotheses.
  bool at_limit() const { return position_ == most_pieces_; }

  // `candidates` holds equally many for each live hypothesis, those with token −1 left out; the log-probability of one
  // is its logit minus the hypothesis' log-sum. Throws Error where the model has computed no numbers.
  void advance(std::span<const kernels::Candidate> candidates, std::span<const float> log_sums);

  // The best first, up to n_best.
  std::vector<Hypothesis> take_results() { return std::move(ended_); }

 private:
  struct Live {
    double log_probability;
    std::span<std::int32_t> past;  // room for all steps; filled up to the position
  };
  struct Continuation {
    double log_probability;
    Index parent;
    int token;
  };

  std::span<Continuation> gather(std::span<const kernels::Candidate> candidates, std::span<const float> log_sums);
  void extend(const Continuation& continuation);
  void end(const Continuation& continuation);

  SearchOptions options_;
  Index first_row_;
  std::span<int> row_tokens_;  // of the whole cache
  std::span<Live> lives_, next_lives_;
  std::vector<Continuation> continuations_;

  Index sentence_ = 0;
  Index most_pieces_ = 0;
  Index position_ = 0;
  Index live_count_ = 0;
  Index next_count_ = 0;
  std::span<const std::int32_t> memory_;
  std::vector<Hypothesis> ended_;  // the best n_best so far, best first
};

}  // namespace heed
