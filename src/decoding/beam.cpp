#include "decoding/beam.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "decoding/search.h"
#include "heed/error.h"

namespace heed {

void Beam::start(const Request& request, Index most_pieces, int first_token, std::span<const std::int32_t> memory) {
  const SearchOptions& options = request.options;
  const std::span<const int> source = request.source;
  options_ = options;
  prefix_ = request.prefix;
  grammar_ = request.grammar.get();
  memory_ = memory;
  most_pieces_ = most_pieces;
  position_ = 0;
  key_ = options.sampling.seed;
  for (const int token : source) key_ = random_key(key_, static_cast<std::uint64_t>(token));

  const std::size_t most = width();
  continuations_.reserve(most * kept());
  ended_.reserve(static_cast<std::size_t>(options.n_best) + 1);
  lives_.reserve(most);
  next_lives_.reserve(most);
  spare_.resize(2 * most);
  for (Live& live : spare_) live.past.reserve(static_cast<std::size_t>(most_pieces) + 1);
  // Not initialised, so that only the pages of the steps that are made take memory.
  attention_.reset();
  if (options.soft_alignment) {
    attention_ = std::make_unique_for_overwrite<float[]>(attention_floats(options, most_pieces, source.size()));
  }
  const std::size_t first = options.sampling.on ? most : 1;
  for (std::size_t i = 0; i < first; ++i) {
    lives_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    lives_[i].log_probability = 0.0;
    lives_[i].key = random_key(key_, i);
    lives_[i].past.assign(1, lineage_.add(no_row, first_token, 0.0f));
    lives_[i].state_from = no_row;
    lives_[i].state = states_.take();
  }
}

void Beam::record(SearchTrace* trace) {
  trace_ = trace;
  nodes_.assign(trace == nullptr ? 0 : lives_.size(), -1);
}

void Beam::record(const Continuation& continuation, SearchNode::State state) {
  if (trace_ == nullptr) return;
  auto& nodes = trace_->steps.back();
  if (state == SearchNode::State::live) next_nodes_.push_back(static_cast<int>(nodes.size()));
  nodes.push_back({nodes_[continuation.parent], continuation.token, static_cast<double>(continuation.step),
                   continuation.log_probability, state});
}

Index Beam::most_rows(const SearchOptions& options, Index most_pieces) {
  return (std::max<Index>(options.beam, options.n_best) + options.n_best + 1) * (most_pieces + 2);
}

std::size_t Beam::attention_floats(const SearchOptions& options, Index most_pieces, std::size_t source) {
  return options.soft_alignment ? (static_cast<std::size_t>(most_pieces) + 1) * width_of(options) * source : 0;
}

// Hypotheses that may be live at once.
std::size_t Beam::width_of(const SearchOptions& options) {
  return static_cast<std::size_t>(competing(options) ? options.beam : options.n_best);
}

// Candidates of a hypothesis that can matter.
std::size_t Beam::kept() const {
  if (options_.sampling.on) return 1;
  return width();
}

Index Beam::wanted() const { return static_cast<Index>(kept()); }

// Whether no live hypothesis can still enter the results: its log-probability only falls, and lp is largest at the
// limit.
bool Beam::done() const {
  if (lives_.empty()) return true;
  if (!competing() || static_cast<int>(ended_.size()) < options_.n_best) return false;
  double best = lives_[0].log_probability;
  for (const Live& live : lives_) best = std::max(best, live.log_probability);
  return ended_.back().score >= best / length_penalty(most_pieces_ + 1, options_);
}

StepRow Beam::row(Index hypothesis) const {
  const Live& live = lives_[static_cast<std::size_t>(hypothesis)];
  return {lineage_[live.past.back()].token, position_, live.past, memory_, live.state_from, live.state};
}

void Beam::attend(Index hypothesis, std::span<const float> weights, Index heads) {
  const auto i = static_cast<std::size_t>(hypothesis);
  const auto strongest = std::max_element(weights.begin(), weights.end()) - weights.begin();
  lineage_.align(lives_[i].past.back(), static_cast<std::int32_t>(strongest), static_cast<std::int32_t>(hypothesis));
  if (attention_ == nullptr) return;
  const float share = 1.0f / static_cast<float>(heads);
  const std::span<float> kept = attention(position_, i);
  for (std::size_t piece = 0; piece < kept.size(); ++piece) kept[piece] = weights[piece] * share;
}

std::span<float> Beam::attention(Index position, std::size_t hypothesis) const {
  const std::size_t row = static_cast<std::size_t>(position) * width() + hypothesis;
  return {attention_.get() + row * memory_.size(), memory_.size()};
}

Rule Beam::rule(Index hypothesis, Arena& arena) const {
  const Live& live = lives_[static_cast<std::size_t>(hypothesis)];
  Rule rule;
  rule.scored = options_.scores || width() > 1;
  if (at_limit()) {
    rule.forced = end_token;
  } else if (in_prefix()) {
    rule.forced = prefix_[static_cast<std::size_t>(position_)];
  } else {
    rule.banned = grammar_ != nullptr ? banned_by_grammar(live, arena) : banned(live, arena);
    if (options_.sampling.on) rule.sampling = &options_.sampling;
    rule.key = random_key(live.key, static_cast<std::uint64_t>(position_));
  }
  return rule;
}

// <unk> if suppressed, </s> below the minimum length, and each token that would repeat an n-gram of no_repeat pieces.
std::span<const int> Beam::banned(const Live& live, Arena& arena) const {
  const bool too_short = position_ < options_.min_length;
  const Index run = options_.no_repeat;
  if (!too_short && !options_.suppress_unk && (run == 0 || position_ < run)) return {};
  const std::span<int> tokens = arena.array<int>(position_ + 2);
  std::size_t count = 0;
  if (options_.suppress_unk) tokens[count++] = unknown_token;
  if (too_short) tokens[count++] = end_token;
  for (Index last = run - 1; run > 0 && last < position_; ++last) {
    Index same = 0;
    while (same < run - 1 && piece(live, last - 1 - same) == piece(live, position_ - 1 - same)) ++same;
    if (same == run - 1) tokens[count++] = piece(live, last);
  }
  return tokens.first(count);
}

std::span<const int> Beam::banned_by_grammar(const Live& live, Arena& arena) const {
  const std::span<int> pieces = arena.array<int>(position_);
  for (Index i = 0; i < position_; ++i) pieces[static_cast<std::size_t>(i)] = piece(live, i);
  const std::span<int> tokens = arena.array<int>(grammar_->vocabulary());
  return tokens.first(grammar_->ban(pieces, most_pieces_, tokens));
}

void Beam::advance(const Choices& choices) {
  gather(choices);
  // The step has read these; releasing them first keeps the rows in use few.
  for (Live& live : lives_) states_.release(std::exchange(live.state_from, no_row));
  if (trace_ != nullptr) trace_->steps.emplace_back();
  for (const Continuation& continuation : continuations_) {
    if (continuation.token == end_token && !in_prefix()) {
      record(continuation, end(continuation) ? SearchNode::State::ended : SearchNode::State::dropped);
    } else {
      extend(continuation);
      record(continuation, SearchNode::State::live);
    }
  }
  for (const Continuation& continuation : pruned_) record(continuation, SearchNode::State::pruned);
  std::swap(nodes_, next_nodes_);
  next_nodes_.clear();
  drop_lives();
  std::swap(lives_, next_lives_);
  ++position_;
}

// The continuations that are kept, best first; if hypotheses do not compete, the best one of each.
void Beam::gather(const Choices& choices) {
  const std::size_t each = choices.candidates.size() / lives_.size();
  const bool branching = competing() || (!options_.sampling.on && lives_.size() == 1 && !in_prefix() &&
                                         position_ == static_cast<Index>(prefix_.size()));
  continuations_.clear();
  for (std::size_t parent = 0; parent < lives_.size(); ++parent) {
    const auto candidates = choices.candidates.subspan(parent * each, branching ? std::min(each, kept()) : 1);
    if (!std::isfinite(choices.log_sums[parent])) {
      throw Error(
          "the model's output is NaN or infinite: its weights are damaged or its training diverged; use another "
          "checkpoint");
    }
    if (candidates[0].token < 0) {
      throw Error(options_.suppress_unk
                      ? "min-length, no-repeat and suppress-unk leave no piece to continue with; relax one of them"
                      : "min-length and no-repeat leave no piece to continue with; lower one of them");
    }
    for (const kernels::Candidate& candidate : candidates) {
      if (candidate.token < 0) continue;
      const double step = static_cast<double>(candidate.logit) - static_cast<double>(choices.log_sums[parent]);
      continuations_.push_back(
          {lives_[parent].log_probability + step, static_cast<float>(step), parent, candidate.token});
    }
  }
  pruned_.clear();
  if (!branching) return;
  const std::size_t kept_count = std::min(continuations_.size(), width());
  const std::size_t sorted = trace_ == nullptr ? kept_count : std::min(continuations_.size(), 3 * width());
  std::partial_sort(continuations_.begin(), continuations_.begin() + static_cast<std::ptrdiff_t>(sorted),
                    continuations_.end(), [](const Continuation& a, const Continuation& b) {
                      if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
                      return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
                    });
  pruned_.assign(continuations_.begin() + static_cast<std::ptrdiff_t>(kept_count),
                 continuations_.begin() + static_cast<std::ptrdiff_t>(sorted));
  continuations_.resize(kept_count);
}

void Beam::extend(const Continuation& continuation) {
  const Live& parent = lives_[continuation.parent];
  next_lives_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Live& live = next_lives_.back();
  live.past.assign(parent.past.begin(), parent.past.end());
  live.past.push_back(lineage_.add(parent.past.back(), continuation.token, continuation.step));
  live.log_probability = continuation.log_probability;
  live.key = parent.key;
  live.state_from = parent.state;
  states_.hold(live.state_from);
  live.state = states_.take();
}

bool Beam::end(const Continuation& continuation) {
  const double score = continuation.log_probability / length_penalty(position_ + 1, options_);
  const auto place = std::upper_bound(ended_.begin(), ended_.end(), score,
                                      [](double value, const Ended& other) { return value > other.score; });
  const auto n_best = static_cast<std::size_t>(options_.n_best);
  if (place == ended_.end() && ended_.size() == n_best) return false;
  const std::int32_t leaf = lives_[continuation.parent].past.back();
  lineage_.hold(leaf);
  ended_.insert(place, {continuation.log_probability, score, leaf, continuation.step, !at_limit()});
  if (ended_.size() <= n_best) return true;
  lineage_.release(ended_.back().leaf);
  ended_.pop_back();
  return true;
}

Hypothesis Beam::result(const Ended& ended) const {
  Hypothesis h;
  h.log_probability = ended.log_probability;
  h.score = ended.score;
  h.finished = ended.finished;
  const auto most = static_cast<std::size_t>(position_) + 1;
  h.tokens.reserve(most);
  h.log_probabilities.reserve(most);
  if (options_.alignment) h.alignment.reserve(most);
  for (std::int32_t row = ended.leaf; lineage_[row].parent != no_row; row = lineage_[row].parent) {
    h.tokens.push_back(lineage_[row].token);
    h.log_probabilities.push_back(lineage_[row].log_probability);
    // A row attends for the token that follows it.
    if (options_.alignment) h.alignment.push_back(lineage_[lineage_[row].parent].aligned);
  }
  std::reverse(h.tokens.begin(), h.tokens.end());
  std::reverse(h.log_probabilities.begin(), h.log_probabilities.end());
  std::reverse(h.alignment.begin(), h.alignment.end());
  h.log_probabilities.push_back(ended.end_step);
  if (attention_ != nullptr) add_attention(ended.leaf, h);
  return h;
}

// A row attends for the token that follows it, the last one for </s>.
void Beam::add_attention(std::int32_t leaf, Hypothesis& h) const {
  const std::size_t columns = memory_.size();
  h.attention.resize((h.tokens.size() + 1) * columns);
  std::int32_t row = leaf;
  for (std::size_t position = h.tokens.size() + 1; position-- > 0; row = lineage_[row].parent) {
    const std::span<const float> weights =
        attention(static_cast<Index>(position), static_cast<std::size_t>(lineage_[row].place));
    std::copy(weights.begin(), weights.end(), h.attention.begin() + static_cast<std::ptrdiff_t>(position * columns));
  }
}

std::vector<Hypothesis> Beam::take_results() {
  std::vector<Hypothesis> results;
  for (const Ended& ended : ended_) results.push_back(result(ended));
  abandon();
  return results;
}

void Beam::abandon() {
  for (const Ended& ended : ended_) lineage_.release(ended.leaf);
  ended_.clear();
  drop_lives();
}

void Beam::drop_lives() {
  for (Live& live : lives_) {
    lineage_.release(live.past.back());
    states_.release(live.state_from);
    states_.release(live.state);
    spare_.push_back(std::move(live));
  }
  lives_.clear();
}

}  // namespace heed
