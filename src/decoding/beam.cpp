#include "decoding/beam.h"

#include <algorithm>
#include <cmath>

#include "heed/error.h"

namespace heed {

Beam::Beam(const SearchOptions& options, Index first_row, Index most_steps, std::span<int> row_tokens, Arena& arena)
    : options_(options), first_row_(first_row), row_tokens_(row_tokens) {
  for (std::span<Live>* lives : {&lives_, &next_lives_}) {
    *lives = arena.array<Live>(options.beam);
    for (Live& live : *lives) live = {0.0, arena.array<std::int32_t>(most_steps)};
  }
}

void Beam::start(Index sentence, Index most_pieces, int first_token, std::span<const std::int32_t> memory) {
  sentence_ = sentence;
  most_pieces_ = most_pieces;
  position_ = 0;
  memory_ = memory;
  ended_.clear();
  live_count_ = 1;
  lives_[0].log_probability = 0.0;
  lives_[0].past[0] = static_cast<std::int32_t>(first_row_);
  row_tokens_[static_cast<std::size_t>(first_row_)] = first_token;
}

// No live hypothesis can still get among the results: its log-probability only falls, and no length divides it by more.
bool Beam::done() const {
  if (live_count_ == 0) return true;
  if (static_cast<Index>(ended_.size()) < options_.n_best) return false;
  double best = lives_[0].log_probability;
  for (Index i = 1; i < live_count_; ++i) best = std::max(best, lives_[static_cast<std::size_t>(i)].log_probability);
  return ended_.back().score >= best / length_penalty(most_pieces_ + 1, options_.alpha);
}

StepRow Beam::row(Index hypothesis) const {
  const Live& live = lives_[static_cast<std::size_t>(hypothesis)];
  const auto passed = static_cast<std::size_t>(position_);
  return {row_tokens_[static_cast<std::size_t>(live.past[passed])], position_, live.past.first(passed + 1), memory_};
}

void Beam::advance(std::span<const kernels::Candidate> candidates, std::span<const float> log_sums) {
  next_count_ = 0;
  for (const Continuation& continuation : gather(candidates, log_sums)) {
    if (continuation.token == end_token) {
      end(continuation);
    } else {
      extend(continuation);
    }
  }
  std::swap(lives_, next_lives_);
  live_count_ = next_count_;
  ++position_;
}

// The best continuations of all live hypotheses, best first.
std::span<Beam::Continuation> Beam::gather(std::span<const kernels::Candidate> candidates,
                                           std::span<const float> log_sums) {
  const std::size_t each = candidates.size() / static_cast<std::size_t>(live_count_);
  continuations_.clear();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t parent = i / each;
    if (i % each == 0 && (candidates[i].token < 0 || !std::isfinite(log_sums[parent]))) {
      throw Error(
          "the model's output is not a number: its weights are damaged or its training diverged; use another "
          "checkpoint");
    }
    if (candidates[i].token < 0) continue;
    const double step = static_cast<double>(candidates[i].logit) - static_cast<double>(log_sums[parent]);
    continuations_.push_back({lives_[parent].log_probability + step, static_cast<Index>(parent), candidates[i].token});
  }
  const std::size_t kept = std::min(continuations_.size(), static_cast<std::size_t>(options_.beam));
  std::partial_sort(continuations_.begin(), continuations_.begin() + static_cast<std::ptrdiff_t>(kept),
                    continuations_.end(), [](const Continuation& a, const Continuation& b) {
                      if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
                      return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
                    });
  return std::span(continuations_).first(kept);
}

void Beam::extend(const Continuation& continuation) {
  const auto next = static_cast<std::size_t>(position_ + 1);
  const Live& parent = lives_[static_cast<std::size_t>(continuation.parent)];
  Live& live = next_lives_[static_cast<std::size_t>(next_count_)];
  std::copy_n(parent.past.begin(), next, live.past.begin());
  const Index row = first_row_ + (position_ + 1) * options_.beam + next_count_;
  live.past[next] = static_cast<std::int32_t>(row);
  live.log_probability = continuation.log_probability;
  row_tokens_[static_cast<std::size_t>(row)] = continuation.token;
  ++next_count_;
}

void Beam::end(const Continuation& continuation) {
  const double score = continuation.log_probability / length_penalty(position_ + 1, options_.alpha);
  const auto place = std::upper_bound(ended_.begin(), ended_.end(), score,
                                      [](double value, const Hypothesis& other) { return value > other.score; });
  if (place == ended_.end() && static_cast<Index>(ended_.size()) == options_.n_best) return;
  Hypothesis hypothesis{{}, continuation.log_probability, score, !at_limit()};
  const Live& parent = lives_[static_cast<std::size_t>(continuation.parent)];
  // The token of the row at position i + 1 is piece i: the decoder's input is shifted right by one.
  for (const std::int32_t row : parent.past.subspan(1, static_cast<std::size_t>(position_))) {
    hypothesis.tokens.push_back(row_tokens_[static_cast<std::size_t>(row)]);
  }
  ended_.insert(place, std::move(hypothesis));
  if (static_cast<Index>(ended_.size()) > options_.n_best) ended_.pop_back();
}

}  // namespace heed
