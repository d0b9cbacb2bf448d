// Beam search for one sentence: its live hypotheses, and the best of the finished ones.
//
// Each step keeps the `beam` best continuations of all live hypotheses. Those that end in </s> are finished, the others
// stay live. Ties go to the earlier hypothesis, then to the lower token, so a search has one result. With sampling and
// for alternatives the hypotheses do not compete: each is continued by itself.
#pragma once

#include "decoding/choose.h"
#include "decoding/lineage.h"
#include "decoding/request.h"
#include "decoding/state_pool.h"

namespace heed {

class Beam {
 public:
  Beam(Lineage& lineage, StatePool& states) : lineage_(lineage), states_(states) {}

  // Every hypothesis begins with the request's prefix and is cut off at most_pieces pieces. The request must live as
  // long as the search.
  void start(const Request& request, Index most_pieces, int first_token, std::span<const std::int32_t> memory);

  // From the start on, every step is added to the trace; null: none is.
  void record(SearchTrace* trace);

  bool done() const;
  Index live() const { return static_cast<Index>(lives_.size()); }
  // Candidates needed for each live hypothesis.
  Index wanted() const;
  StepRow row(Index hypothesis) const;
  // Records what the row attends to in this step: the weights over the source pieces, summed over heads.
  void attend(Index hypothesis, std::span<const float> weights, Index heads);
  // The rule may refer to arrays in the arena.
  Rule rule(Index hypothesis, Arena& arena) const;

  // `choices` holds the same number of candidates for each live hypothesis. Throws Error if logits are not finite.
  void advance(const Choices& choices);

  // Up to n_best results, best first; releases the rows.
  std::vector<Hypothesis> take_results();
  // Releases the rows without results.
  void abandon();

  // The most rows of the past (KV cache), and of states, that a search may hold at a time.
  static Index most_rows(const SearchOptions& options, Index most_pieces);
  static Index most_states(const SearchOptions& options) { return 2 * static_cast<Index>(width_of(options)); }

  // Floats kept for soft alignment with a source of this many tokens; 0 unless requested.
  static std::size_t attention_floats(const SearchOptions& options, Index most_pieces, std::size_t source);

 private:
  struct Live {
    double log_probability = 0.0;
    std::uint64_t key = 0;             // random key of its draws
    std::int32_t state_from = no_row;  // the state that the next step reads; holds a reference
    std::int32_t state = no_row;       // the one that it writes; likewise
    std::vector<std::int32_t> past;  // its rows at positions 0 … position; capacity for all is reserved at the start
  };
  struct Continuation {
    double log_probability;  // of the whole hypothesis
    float step;              // of the token
    std::size_t parent;
    int token;
  };
  struct Ended {
    double log_probability;
    double score;
    std::int32_t leaf;  // the row of its last token; holds a reference
    float end_step;     // of </s>
    bool finished;
  };

  static bool competing(const SearchOptions& options) { return !options.sampling.on && !options.alternatives; }
  static std::size_t width_of(const SearchOptions& options);
  bool competing() const { return competing(options_); }
  std::size_t width() const { return width_of(options_); }
  std::size_t kept() const;
  bool at_limit() const { return position_ == most_pieces_; }
  bool in_prefix() const { return position_ < static_cast<Index>(prefix_.size()); }
  void gather(const Choices& choices);
  void drop_lives();
  void extend(const Continuation& continuation);
  // Whether it is among the results so far.
  bool end(const Continuation& continuation);
  void record(const Continuation& continuation, SearchNode::State state);
  std::span<const int> banned(const Live& live, Arena& arena) const;
  std::span<const int> banned_by_grammar(const Live& live, Arena& arena) const;
  // Piece i of a hypothesis: the token of the row at position i + 1, since the decoder's input is shifted right by one.
  int piece(const Live& live, Index i) const { return lineage_[live.past[static_cast<std::size_t>(i) + 1]].token; }
  Hypothesis result(const Ended& ended) const;
  std::span<float> attention(Index position, std::size_t hypothesis) const;
  void add_attention(std::int32_t leaf, Hypothesis& hypothesis) const;

  Lineage& lineage_;
  StatePool& states_;
  SearchOptions options_;
  std::span<const int> prefix_;
  const Grammar* grammar_ = nullptr;
  std::span<const std::int32_t> memory_;
  std::uint64_t key_ = 0;
  Index most_pieces_ = 0;
  Index position_ = 0;
  std::vector<Live> lives_, next_lives_, spare_;  // spare ones keep their capacity
  std::vector<Continuation> continuations_;
  SearchTrace* trace_ = nullptr;
  std::vector<Continuation> pruned_;     // the best ones that the last step did not keep, for the trace
  std::vector<int> nodes_, next_nodes_;  // of the trace: those of the live hypotheses
  std::vector<Ended> ended_;             // the best n_best so far, best first
  std::unique_ptr<float[]> attention_;   // (positions, hypotheses, source pieces); null unless requested
};

}  // namespace heed
