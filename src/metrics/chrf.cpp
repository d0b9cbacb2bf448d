#include "metrics/chrf.h"

#include <fmt/format.h>

#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace heed::metrics {
namespace {

// Per order, first of characters, then of words: n-grams of the hypothesis, n-grams of the reference, matches.
constexpr std::size_t figures_of_order = 3;

bool is_ascii_mark(char32_t c) { return c < 0x80 && (is_punctuation(c) || is_symbol(c)); }

// Separates a punctuation mark at the end of a word, or else one at its beginning: "(hi)" becomes "(hi" and ")".
std::vector<std::u32string_view> part_marks(std::span<const std::u32string_view> words) {
  std::vector<std::u32string_view> parted;
  for (const std::u32string_view word : words) {
    if (word.size() > 1 && is_ascii_mark(word.back())) {
      parted.push_back(word.substr(0, word.size() - 1));
      parted.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_mark(word.front())) {
      parted.push_back(word.substr(0, 1));
      parted.push_back(word.substr(1));
    } else {
      parted.push_back(word);
    }
  }
  return parted;
}

// The n-gram counts of one line, comparable with those of the same LineCounter.
struct Counted {
  Index characters = 0;
  Index words = 0;
  std::vector<Index> character_ngrams;
  std::vector<Index> word_ngrams;
};

class LineCounter {
 public:
  explicit LineCounter(const ChrfOptions& options)
      : options_(options), character_ngrams_(options.char_order), word_ngrams_(options.word_order) {}

  // `text` must outlive this object.
  Counted count(std::u32string_view text) {
    const std::vector<std::u32string_view> words = split_words(text);
    std::vector<std::uint32_t> characters;
    for (const std::u32string_view word : words) characters.insert(characters.end(), word.begin(), word.end());
    Counted counted;
    counted.characters = static_cast<Index>(characters.size());
    counted.character_ngrams = character_ngrams_.count(characters);
    if (options_.word_order > 0) {
      const std::vector<std::uint32_t> numbers = numbers_.number(part_marks(words));
      counted.words = static_cast<Index>(numbers.size());
      counted.word_ngrams = word_ngrams_.count(numbers);
    }
    return counted;
  }

  std::vector<double> compare(const Counted& hypothesis, const Counted& reference) const {
    std::vector<double> figures;
    append(character_ngrams_.matches(hypothesis.character_ngrams, reference.character_ngrams), hypothesis.characters,
           reference.characters, figures);
    append(word_ngrams_.matches(hypothesis.word_ngrams, reference.word_ngrams), hypothesis.words, reference.words,
           figures);
    return figures;
  }

 private:
  static void append(const std::vector<Index>& matches, Index hypothesis, Index reference,
                     std::vector<double>& figures) {
    for (int order = 1; order <= static_cast<int>(matches.size()); ++order) {
      const Index in_reference = ngrams_in(reference, order);
      // An order for which the reference is too short does not count.
      figures.push_back(static_cast<double>(in_reference > 0 ? ngrams_in(hypothesis, order) : 0));
      figures.push_back(static_cast<double>(in_reference));
      figures.push_back(static_cast<double>(matches[static_cast<std::size_t>(order) - 1]));
    }
  }

  ChrfOptions options_;
  WordNumbers numbers_;
  NgramCounter character_ngrams_;
  NgramCounter word_ngrams_;
};

// The F-score of precision and recall, each averaged over the orders that both sides are long enough for.
double score_of(std::span<const double> figures, const ChrfOptions& options) {
  double precision = 0.0;
  double recall = 0.0;
  int orders = 0;
  for (std::size_t i = 0; i < figures.size(); i += figures_of_order) {
    const double in_hypothesis = figures[i];
    const double in_reference = figures[i + 1];
    if (in_hypothesis == 0.0 || in_reference == 0.0) continue;
    precision += figures[i + 2] / in_hypothesis;
    recall += figures[i + 2] / in_reference;
    ++orders;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  const double weight = options.beta * options.beta;
  return 100.0 * ((1.0 + weight) * precision * recall / (weight * precision + recall));
}

std::u32string prepare(const std::string& line, const ChrfOptions& options) {
  std::u32string text = decode_utf8(line);
  return options.lowercase ? lower(text) : text;
}

void add_line(const std::u32string& hypothesis, std::span<const std::u32string> references, const ChrfOptions& options,
              std::vector<double>& values) {
  LineCounter counter(options);
  const Counted counted = counter.count(hypothesis);
  double best_score = -1.0;
  std::vector<double> best;
  for (const std::u32string& reference : references) {
    std::vector<double> figures = counter.compare(counted, counter.count(reference));
    const double score = score_of(figures, options);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(figures);
  }
  values.insert(values.end(), best.begin(), best.end());
}

LineStatistics line_statistics(Hypotheses hypotheses, References references, const ChrfOptions& options) {
  return collect(
      hypotheses, references, figures_of_order * static_cast<std::size_t>(options.char_order + options.word_order),
      [&](const std::string& text) { return prepare(text, options); },
      [&](const std::u32string& hypothesis, std::span<const std::u32string> against, std::vector<double>& values) {
        add_line(hypothesis, against, options, values);
      });
}

}  // namespace

double chrf(Hypotheses hypotheses, References references, const ChrfOptions& options) {
  return score_of(line_statistics(hypotheses, references, options).sum(), options);
}

Metric chrf_metric(const ChrfOptions& options) {
  return {.name = fmt::format("chrF{}{:+<{}}", options.beta, "", options.word_order),
          .settings = fmt::format("case:{}|eff:yes|nc:{}|nw:{}|space:no", options.lowercase ? "lc" : "mixed",
                                  options.char_order, options.word_order),
          .line_statistics = [options](Hypotheses h,
                                       References r) { return heed::metrics::line_statistics(h, r, options); },
          .score = [options](std::span<const double> sums) { return score_of(sums, options); },
          .details = [](std::span<const double>) { return std::string(); },
          .parts = [](std::span<const double>) { return std::vector<Part>(); }};
}

}  // namespace heed::metrics
