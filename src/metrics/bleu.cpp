#include "metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace heed::metrics {
namespace {

constexpr std::size_t orders = bleu_order;

// The statistics of a line, in this order: words of the hypothesis, words of the reference, matches by order, n-grams
// of the hypothesis by order.
constexpr std::size_t first_match = 2;
constexpr std::size_t first_total = first_match + orders;
constexpr std::size_t figures = first_total + orders;

std::u32string prepare(const std::string& line, const BleuOptions& options) {
  std::u32string text = decode_utf8(line);
  if (options.lowercase) text = lower(text);
  return tokenize(without_trailing_space(text), options.tokenizer);
}

// Merges the counts of several references: the maximum of each n-gram.
void take_higher(std::vector<Index>& counts, const std::vector<Index>& others) {
  counts.resize(std::max(counts.size(), others.size()), 0);
  for (std::size_t n = 0; n < others.size(); ++n) counts[n] = std::max(counts[n], others[n]);
}

bool is_nearer(Index length, Index best, Index hypothesis) {
  const Index distance = std::abs(length - hypothesis);
  const Index best_distance = std::abs(best - hypothesis);
  return distance < best_distance || (distance == best_distance && length < best);
}

void add_line(const std::u32string& hypothesis, std::span<const std::u32string> references,
              std::vector<double>& values) {
  WordNumbers numbers;
  NgramCounter counter(bleu_order);
  const std::vector<std::uint32_t> words = numbers.number(split_words(hypothesis));
  const std::vector<Index> counts = counter.count(words);
  const auto length = static_cast<Index>(words.size());
  std::vector<Index> reference_counts;
  Index reference_length = -1;
  for (const std::u32string& reference : references) {
    const std::vector<std::uint32_t> reference_words = numbers.number(split_words(reference));
    const auto candidate = static_cast<Index>(reference_words.size());
    if (reference_length < 0 || is_nearer(candidate, reference_length, length)) reference_length = candidate;
    take_higher(reference_counts, counter.count(reference_words));
  }

  values.push_back(static_cast<double>(length));
  values.push_back(static_cast<double>(reference_length));
  for (const Index matches : counter.matches(counts, reference_counts)) values.push_back(static_cast<double>(matches));
  for (int order = 1; order <= bleu_order; ++order) values.push_back(static_cast<double>(ngrams_in(length, order)));
}

LineStatistics line_statistics(Hypotheses hypotheses, References references, const BleuOptions& options) {
  return collect(
      hypotheses, references, figures, [&](const std::string& text) { return prepare(text, options); }, add_line);
}

double smoothing_value(const BleuOptions& options) {
  return options.smoothing_value.value_or(options.smoothing == Smoothing::floor ? 0.1 : 1.0);
}

double brevity_penalty(double length, double reference_length) {
  if (length >= reference_length) return 1.0;
  return length > 0.0 ? std::exp(1.0 - reference_length / length) : 0.0;
}

// Fills in the precisions and returns the number of orders that count.
std::size_t fill_precisions(std::span<const double> sums, const BleuOptions& options,
                            std::array<double, orders>& precisions) {
  std::size_t counted = orders;
  double halvings = 1.0;
  for (std::size_t n = 0; n < orders; ++n) {
    const double added = options.smoothing == Smoothing::add_k && n > 0 ? smoothing_value(options) : 0.0;
    const double matches = sums[first_match + n] + added;
    const double total = sums[first_total + n] + added;
    if (total == 0.0) break;
    if (options.effective_order) counted = n + 1;
    if (matches > 0.0) {
      precisions[n] = 100.0 * matches / total;
    } else if (options.smoothing == Smoothing::exponential) {
      halvings *= 2.0;
      precisions[n] = 100.0 / (halvings * total);
    } else if (options.smoothing == Smoothing::floor) {
      precisions[n] = 100.0 * smoothing_value(options) / total;
    }
  }
  return counted;
}

BleuScore score_of(std::span<const double> sums, const BleuOptions& options) {
  BleuScore result;
  result.hypothesis_length = static_cast<Index>(sums[0]);
  result.reference_length = static_cast<Index>(sums[1]);
  result.brevity_penalty = brevity_penalty(sums[0], sums[1]);
  const std::span<const double> matches = sums.subspan(first_match, orders);
  if (std::all_of(matches.begin(), matches.end(), [](double m) { return m == 0.0; })) return result;
  const std::size_t counted = fill_precisions(sums, options, result.precisions);
  double log_sum = 0.0;
  for (std::size_t n = 0; n < counted; ++n) {
    if (result.precisions[n] == 0.0) return result;
    log_sum += std::log(result.precisions[n]);
  }
  result.score = result.brevity_penalty * std::exp(log_sum / static_cast<double>(counted));
  return result;
}

std::string details_of(const BleuScore& s) {
  return fmt::format("{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     s.precisions[0], s.precisions[1], s.precisions[2], s.precisions[3], s.brevity_penalty, s.ratio(),
                     s.hypothesis_length, s.reference_length);
}

std::vector<Part> parts_of(const BleuScore& s) {
  return {{"precisions", {s.precisions.begin(), s.precisions.end()}},
          {"bp", {s.brevity_penalty}},
          {"ratio", {s.ratio()}},
          {"hyp_len", {static_cast<double>(s.hypothesis_length)}, true},
          {"ref_len", {static_cast<double>(s.reference_length)}, true}};
}

std::string smoothing_name(const BleuOptions& options) {
  switch (options.smoothing) {
    case Smoothing::exponential: return "exp";
    case Smoothing::floor: return fmt::format("floor[{:.2f}]", smoothing_value(options));
    case Smoothing::add_k: return fmt::format("add-k[{:.2f}]", smoothing_value(options));
    case Smoothing::none: break;
  }
  return "none";
}

}  // namespace

double BleuScore::ratio() const {
  return reference_length == 0 ? 0.0 : static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
}

BleuScore bleu(Hypotheses hypotheses, References references, const BleuOptions& options) {
  return score_of(line_statistics(hypotheses, references, options).sum(), options);
}

Metric bleu_metric(const BleuOptions& options) {
  return {.name = "BLEU",
          .settings =
              fmt::format("case:{}|eff:{}|tok:{}|smooth:{}", options.lowercase ? "lc" : "mixed",
                          options.effective_order ? "yes" : "no", name_of(options.tokenizer), smoothing_name(options)),
          .line_statistics = [options](Hypotheses h,
                                       References r) { return heed::metrics::line_statistics(h, r, options); },
          .score = [options](std::span<const double> sums) { return score_of(sums, options).score; },
          .details = [options](std::span<const double> sums) { return details_of(score_of(sums, options)); },
          .parts = [options](std::span<const double> sums) { return parts_of(score_of(sums, options)); }};
}

}  // namespace heed::metrics
