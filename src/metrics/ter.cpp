#include "metrics/ter.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "metrics/edit_distance.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace heed::metrics {
namespace {

// Tercom's limits, and sacreBLEU's limit on the shifts tried per line.
constexpr int longest_phrase = 10;
constexpr int farthest_shift = 50;
constexpr int most_candidates = 1000;

constexpr std::size_t figures = 2;  // per line: edits, average length of its references

// Moves `length` words at `start` before the word at `target`; for a target within the phrase, the phrase moves right
// by the distance of the target from its start.
struct Shift {
  int gain = 0;
  int length = 0;
  int start = 0;
  int target = 0;
};

// Prefers the greatest gain, then the longest phrase, then the leftmost start, then the leftmost target.
bool is_better(const Shift& a, const Shift& b) {
  return std::tuple(a.gain, a.length, -a.start, -a.target) > std::tuple(b.gain, b.length, -b.start, -b.target);
}

void move_phrase(const Shift& shift, std::vector<std::uint32_t>& words) {
  const auto at = [&](int position) { return words.begin() + std::min(position, static_cast<int>(words.size())); };
  const int end = shift.start + shift.length;
  if (shift.target < shift.start) {
    std::rotate(at(shift.target), at(shift.start), at(end));
  } else {
    std::rotate(at(shift.start), at(end), at(shift.target > end ? shift.target : shift.length + shift.target));
  }
}

// Greedy search: applies the best shift to the hypothesis until none helps.
class ShiftSearch {
 public:
  ShiftSearch(std::vector<std::uint32_t> hypothesis, Words reference)
      : words_(std::move(hypothesis)), reference_(reference), distance_(reference, words_.size()) {}

  int edits() {
    int shifts = 0;
    while (true) {
      base_distance_ = distance_.set_base(words_);
      const Shift best = best_shift();
      if (candidates_ >= most_candidates || best.gain <= 0) return shifts + base_distance_;
      move_phrase(best, words_);
      ++shifts;
    }
  }

 private:
  Shift best_shift() {
    alignment_ = distance_.align_base(words_);
    best_ = {};
    const int size = static_cast<int>(words_.size());
    for (int start = 0; start < size; ++start) {
      const int first = std::max(0, start - farthest_shift);
      const int last = std::min(static_cast<int>(reference_.size()) - 1, start + farthest_shift);
      for (int goal = first; goal <= last; ++goal) {
        if (!try_phrases(start, goal)) return best_;
      }
    }
    return best_;
  }

  // Tries all phrases at `start` in the hypothesis that match the reference at `goal`; false once the limit is reached.
  bool try_phrases(int start, int goal) {
    const int longest =
        std::min({longest_phrase, static_cast<int>(words_.size()) - start, static_cast<int>(reference_.size()) - goal});
    for (int length = 1; length <= longest && word(start + length - 1) == goal_word(goal + length - 1); ++length) {
      if (!is_worth_trying(start, goal, length)) continue;
      try_targets(start, goal, length);
      if (candidates_ >= most_candidates) return false;
    }
    return true;
  }

  // Only phrases that are wrong at their position, missing at the goal, and not aligned with the goal already.
  bool is_worth_trying(int start, int goal, int length) const {
    const auto any = [length](const std::vector<bool>& wrong, int from) {
      return std::find(wrong.begin() + from, wrong.begin() + from + length, true) != wrong.begin() + from + length;
    };
    const int aligned = alignment_.hypothesis_word[static_cast<std::size_t>(goal)];
    return any(alignment_.hypothesis_wrong, start) && any(alignment_.reference_wrong, goal) &&
           (aligned < start || aligned >= start + length);
  }

  // The targets: after each word aligned with the reference phrase, or with the word before it.
  void try_targets(int start, int goal, int length) {
    int previous = -1;
    for (int position = goal - 1; position < goal + length; ++position) {
      const int target = position < 0 ? 0 : alignment_.hypothesis_word[static_cast<std::size_t>(position)] + 1;
      if (target == previous) continue;
      previous = target;
      ++candidates_;
      try_shift({0, length, start, target});
    }
  }

  void try_shift(Shift shift) {
    shifted_ = words_;
    move_phrase(shift, shifted_);
    const int limit = base_distance_ - std::max(1, best_.gain);
    const auto same = static_cast<std::size_t>(std::min(shift.start, shift.target));
    shift.gain = base_distance_ - distance_.distance(shifted_, same, limit);
    if (shift.gain > 0 && is_better(shift, best_)) best_ = shift;
  }

  std::uint32_t word(int i) const { return words_[static_cast<std::size_t>(i)]; }
  std::uint32_t goal_word(int i) const { return reference_[static_cast<std::size_t>(i)]; }

  std::vector<std::uint32_t> words_;
  Words reference_;
  EditDistance distance_;
  int base_distance_ = 0;
  Alignment alignment_;
  Shift best_;
  std::vector<std::uint32_t> shifted_;
  int candidates_ = 0;
};

Index edits_between(const std::vector<std::uint32_t>& hypothesis, const std::vector<std::uint32_t>& reference) {
  if (reference.empty()) return static_cast<Index>(hypothesis.size());
  return ShiftSearch(hypothesis, reference).edits();
}

std::u32string prepare(const std::string& line, const TerOptions& options) {
  std::u32string text = decode_utf8(line);
  return options.case_sensitive ? text : lower(text);
}

void add_line(const std::u32string& hypothesis, std::span<const std::u32string> references,
              std::vector<double>& values) {
  WordNumbers numbers;
  const std::vector<std::uint32_t> words = numbers.number(split_words(hypothesis));
  Index fewest = -1;
  Index reference_words = 0;
  for (const std::u32string& text : references) {
    const std::vector<std::uint32_t> reference = numbers.number(split_words(text));
    const Index edits = edits_between(words, reference);
    fewest = fewest < 0 ? edits : std::min(fewest, edits);
    reference_words += static_cast<Index>(reference.size());
  }
  values.push_back(static_cast<double>(fewest));
  values.push_back(static_cast<double>(reference_words) / static_cast<double>(references.size()));
}

LineStatistics line_statistics(Hypotheses hypotheses, References references, const TerOptions& options) {
  return collect(
      hypotheses, references, figures, [&](const std::string& text) { return prepare(text, options); }, add_line);
}

TerScore score_of(std::span<const double> sums) {
  const double edits = sums[0];
  const double length = sums[1];
  const double empty_reference = edits > 0.0 ? 1.0 : 0.0;
  return {100.0 * (length > 0.0 ? edits / length : empty_reference), static_cast<Index>(edits), length};
}

}  // namespace

TerScore ter(Hypotheses hypotheses, References references, const TerOptions& options) {
  return score_of(line_statistics(hypotheses, references, options).sum());
}

Metric ter_metric(const TerOptions& options) {
  return {
      .name = "TER",
      .settings = fmt::format("case:{}|tok:tercom|norm:no|punct:yes|asian:no", options.case_sensitive ? "mixed" : "lc"),
      .line_statistics = [options](Hypotheses h,
                                   References r) { return heed::metrics::line_statistics(h, r, options); },
      .score = [](std::span<const double> sums) { return score_of(sums).score; },
      .details = [](std::span<const double>) { return std::string(); },
      .parts =
          [](std::span<const double> sums) {
            return std::vector<Part>{{"edits", {sums[0]}, true}, {"ref_length", {sums[1]}}};
          }};
}

}  // namespace heed::metrics
