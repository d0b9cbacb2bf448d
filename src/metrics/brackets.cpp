#include "metrics/brackets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <type_traits>

#include "base/figures.h"
#include "heed/error.h"

namespace heed::metrics {
namespace {

constexpr std::array members{&BracketCounts::sentences,
                             &BracketCounts::errors,
                             &BracketCounts::skips,
                             &BracketCounts::length,
                             &BracketCounts::matched,
                             &BracketCounts::gold,
                             &BracketCounts::test,
                             &BracketCounts::missed,
                             &BracketCounts::complete,
                             &BracketCounts::crossing,
                             &BracketCounts::without_crossing,
                             &BracketCounts::few_crossing,
                             &BracketCounts::words,
                             &BracketCounts::tags};

// A line with more brackets is an error: it could fill the memory.
constexpr std::size_t most_brackets = std::size_t{1} << 20;

// The words before a bracket and before its end.
struct Bracket {
  std::size_t start = 0;
  std::size_t end = 0;
  std::string_view label;
};

struct TaggedWord {
  std::string_view tag;
  std::string_view word;
};

struct ReadLine {
  bool readable = true;
  std::vector<Bracket> brackets;  // in order of opening
  std::vector<TaggedWord> words;
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_delimiter(char c) { return is_space(c) || c == '(' || c == ')'; }

std::size_t token_end(std::string_view line, std::size_t at) {
  while (at < line.size() && !is_delimiter(line[at])) ++at;
  return at;
}

// If "  word)" stands at `at`, the word, and `at` moves past it. `(X )` has a word without letters, `(X)` has none.
std::optional<std::string_view> take_word(std::string_view line, std::size_t& at) {
  std::size_t start = at;
  while (start < line.size() && is_space(line[start])) ++start;
  const std::size_t end = token_end(line, start);
  if (start == at || end == line.size() || line[end] != ')') return std::nullopt;
  at = end + 1;
  return line.substr(start, end - start);
}

ReadLine read_line(std::string_view line) {
  ReadLine read;
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
    } else if (line[at] == '(') {
      const std::size_t end = token_end(line, at + 1);
      const std::string_view label = line.substr(at + 1, end - at - 1);
      at = end;
      if (const auto word = take_word(line, at)) {
        read.words.push_back({label, *word});
      } else if (read.brackets.size() == most_brackets) {
        return {false, {}, {}};
      } else {
        open.push_back(read.brackets.size());
        read.brackets.push_back({read.words.size(), 0, label});
      }
    } else if (line[at] == ')' && !open.empty()) {
      read.brackets[open.back()].end = read.words.size();
      open.pop_back();
      ++at;
    } else {
      return {false, {}, {}};
    }
  }
  if (!open.empty()) return {false, {}, {}};
  return read;
}

// Takes out the words whose tag, or the tag of the word at the same place in `tags`, is deleted.
void delete_words(ReadLine& line, const std::vector<TaggedWord>& tags, const EvalbRules& rules) {
  std::vector<TaggedWord> kept;
  std::vector<std::size_t> kept_before(line.words.size() + 1, 0);
  for (std::size_t i = 0; i < line.words.size(); ++i) {
    if (!rules.deleted.contains(tags[i].tag)) kept.push_back(line.words[i]);
    kept_before[i + 1] = kept.size();
  }
  line.words = std::move(kept);
  for (Bracket& bracket : line.brackets) {
    bracket.start = kept_before[bracket.start];
    bracket.end = kept_before[bracket.end];
  }
}

// Leaves out brackets that span nothing, cuts labels (NP-SBJ, NP=2), and leaves out brackets with a deleted label.
void delete_brackets(ReadLine& line, const EvalbRules& rules) {
  for (Bracket& bracket : line.brackets) bracket.label = bracket.label.substr(0, bracket.label.find_first_of("-="));
  std::erase_if(line.brackets, [&](const Bracket& bracket) {
    return bracket.start == bracket.end || rules.deleted.contains(bracket.label);
  });
  if (rules.labelled) return;
  for (Bracket& bracket : line.brackets) bracket.label = {};
}

// Each gold bracket in turn takes the first test bracket left with its span and an equal label.
class Matcher {
 public:
  Matcher(const std::vector<Bracket>& test, const EvalbRules& rules)
      : test_(test), rules_(rules), order_(test.size()), used_(test.size(), 0) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  }

  bool take(const Bracket& gold) {
    std::optional<std::size_t> best;  // the begin of its group in order_
    const auto consider = [&](std::string_view label) {
      const auto group = first_left(gold, label);
      if (group && (!best || next_of(*group) < next_of(*best))) best = group;
    };
    consider(gold.label);
    for (const auto& [a, b] : rules_.equal_labels) {
      if (a == gold.label) consider(b);
      if (b == gold.label) consider(a);
    }
    if (best) ++used_[*best];
    return best.has_value();
  }

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::string_view>;

  static Key key_of(const Bracket& bracket, std::string_view label) { return {bracket.start, bracket.end, label}; }
  Key key(std::size_t test) const { return key_of(test_[test], test_[test].label); }
  std::size_t next_of(std::size_t group) const { return order_[group + used_[group]]; }

  // The group of brackets with this span and label, unless all are used.
  std::optional<std::size_t> first_left(const Bracket& span, std::string_view label) const {
    const Key wanted = key_of(span, label);
    const auto begin = std::lower_bound(order_.begin(), order_.end(), wanted,
                                        [&](std::size_t test, const Key& value) { return key(test) < value; });
    const auto group = static_cast<std::size_t>(begin - order_.begin());
    if (group == order_.size()) return std::nullopt;
    const std::size_t next = group + used_[group];
    if (next == order_.size() || key(order_[next]) != wanted) return std::nullopt;
    return group;
  }

  const std::vector<Bracket>& test_;
  const EvalbRules& rules_;
  std::vector<std::size_t> order_;  // test brackets by span and label, then in their order
  std::vector<std::size_t> used_;   // at the begin of each group, how many are taken
};

Index count_matches(const std::vector<Bracket>& gold, const std::vector<Bracket>& test, const EvalbRules& rules) {
  Matcher matcher(test, rules);
  return std::count_if(gold.begin(), gold.end(), [&](const Bracket& bracket) { return matcher.take(bracket); });
}

// For each place between two words, the innermost gold bracket around it. Brackets of a tree are nested, so a test
// bracket that crosses any gold bracket at this place crosses this one.
std::vector<Bracket> innermost_around(const std::vector<Bracket>& gold, std::size_t words) {
  std::vector<Bracket> innermost(words + 1);  // start = end = 0: there is none
  std::vector<Bracket> open;
  auto next = gold.begin();
  for (std::size_t place = 1; place < words; ++place) {
    for (; next != gold.end() && next->start < place; ++next) {
      while (!open.empty() && open.back().end <= next->start) open.pop_back();
      open.push_back(*next);
    }
    while (!open.empty() && open.back().end <= place) open.pop_back();
    if (!open.empty()) innermost[place] = open.back();
  }
  return innermost;
}

Index count_crossing(const std::vector<Bracket>& gold, const std::vector<Bracket>& test, std::size_t words) {
  const std::vector<Bracket> innermost = innermost_around(gold, words);
  return std::count_if(test.begin(), test.end(), [&](const Bracket& bracket) {
    const Bracket& at_start = innermost[bracket.start];
    const Bracket& at_end = innermost[bracket.end];
    const bool ends_inside = at_start.end > bracket.start && at_start.end < bracket.end;
    const bool starts_inside = at_end.end > bracket.end && at_end.start > bracket.start;
    return ends_inside || starts_inside;
  });
}

bool same_words(const ReadLine& gold, const ReadLine& test, const EvalbRules& rules) {
  return std::equal(gold.words.begin(), gold.words.end(), test.words.begin(), test.words.end(),
                    [&](const TaggedWord& a, const TaggedWord& b) { return rules.same_word(a.word, b.word); });
}

void compare(const ReadLine& gold, const ReadLine& test, const EvalbRules& rules, BracketCounts& counts) {
  counts.gold = static_cast<Index>(gold.brackets.size());
  counts.test = static_cast<Index>(test.brackets.size());
  counts.matched = count_matches(gold.brackets, test.brackets, rules);
  counts.complete = counts.matched == counts.gold && counts.matched == counts.test ? 1 : 0;
  counts.crossing = count_crossing(gold.brackets, test.brackets, gold.words.size());
  counts.without_crossing = counts.crossing == 0 ? 1 : 0;
  counts.few_crossing = counts.crossing <= 2 ? 1 : 0;
  counts.words = static_cast<Index>(gold.words.size());
  for (std::size_t i = 0; i < gold.words.size(); ++i) {
    if (rules.same_label(gold.words[i].tag, test.words[i].tag)) ++counts.tags;
  }
}

double percent(Index part, Index whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}
double harmonic(double a, double b) { return a + b == 0.0 ? 0.0 : 2.0 * a * b / (a + b); }

LineStatistics line_statistics(Hypotheses hypotheses, References references, const BracketOptions& options) {
  check_line_counts(hypotheses, references);
  if (references.size() != 1) {
    throw Error(fmt::format("brackets are compared with one gold file, not {}", references.size()));
  }
  if (options.tag_lines != nullptr && options.tag_lines->size() != hypotheses.size()) {
    throw Error(fmt::format("tags-from '{}' has {} for {}; each needs one line", options.tag_name,
                            counted(options.tag_lines->size(), "line"), counted(hypotheses.size(), "tree")));
  }
  LineStatistics statistics{2 * members.size(), {}};
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    const std::string& gold = references[0][line];
    const std::string* tags = options.gold_tags ? &gold : nullptr;
    if (options.tag_lines != nullptr) tags = &(*options.tag_lines)[line];
    const BracketCounts counts = compare_brackets(gold, hypotheses[line], tags, options.rules);
    const bool is_short = counts.length <= options.rules.cutoff;
    for (const auto member : members) statistics.values.push_back(static_cast<double>(counts.*member));
    for (const auto member : members) {
      statistics.values.push_back(is_short ? static_cast<double>(counts.*member) : 0.0);
    }
  }
  return statistics;
}

std::string details(const BracketCounts& counts) {
  return fmt::format("(R = {:.2f} P = {:.2f} strict F = {:.2f} sentences = {} errors = {} skips = {})", counts.recall(),
                     counts.precision(), counts.strict_f(), counts.sentences, counts.errors, counts.skips);
}

std::string table(const BracketFigures& figures, Index cutoff) {
  std::string text = fmt::format("{:<21} {:>9} {:>9}\n", "", "all", fmt::format("≤ {}", cutoff));
  const auto row = [&](const char* name, const auto& value) {
    const auto cell = [&](const BracketCounts& counts) {
      const auto number = value(counts);
      if constexpr (std::is_integral_v<decltype(value(counts))>) {
        return fmt::format("{}", number);
      } else {
        return fmt::format("{:.2f}", number);
      }
    };
    text += fmt::format("{:<21} {:>9} {:>9}\n", name, cell(figures.all), cell(figures.short_ones));
  };
  row("F", [](const BracketCounts& c) { return c.f(); });
  row("recall", [](const BracketCounts& c) { return c.recall(); });
  row("precision", [](const BracketCounts& c) { return c.precision(); });
  row("strict F", [](const BracketCounts& c) { return c.strict_f(); });
  row("complete match", [](const BracketCounts& c) { return c.complete_match(); });
  row("average crossing", [](const BracketCounts& c) { return c.average_crossing(); });
  row("no crossing", [](const BracketCounts& c) { return c.no_crossing(); });
  row("2 or less crossing", [](const BracketCounts& c) { return c.two_or_less_crossing(); });
  row("tag accuracy", [](const BracketCounts& c) { return c.tag_accuracy(); });
  row("sentences", [](const BracketCounts& c) { return c.sentences; });
  row("errors", [](const BracketCounts& c) { return c.errors; });
  row("skips", [](const BracketCounts& c) { return c.skips; });
  return text;
}

void append_parts(const BracketCounts& counts, const std::string& suffix, std::vector<Part>& parts) {
  const auto add = [&](const char* name, double value) { parts.push_back({name + suffix, {value}}); };
  const auto add_count = [&](const char* name, Index value) {
    parts.push_back({name + suffix, {static_cast<double>(value)}, true});
  };
  add("f", counts.f());
  add("recall", counts.recall());
  add("precision", counts.precision());
  add("strict_f", counts.strict_f());
  add("complete_match", counts.complete_match());
  add("average_crossing", counts.average_crossing());
  add("no_crossing", counts.no_crossing());
  add("two_or_less_crossing", counts.two_or_less_crossing());
  add("tag_accuracy", counts.tag_accuracy());
  add_count("sentences", counts.sentences);
  add_count("errors", counts.errors);
  add_count("skips", counts.skips);
  add_count("matched", counts.matched);
  add_count("gold", counts.gold);
  add_count("test", counts.test);
}

}  // namespace

double BracketCounts::recall() const { return percent(matched, gold); }
double BracketCounts::precision() const { return percent(matched, test); }
double BracketCounts::f() const { return harmonic(recall(), precision()); }
double BracketCounts::strict_f() const { return harmonic(percent(matched, gold + missed), precision()); }
double BracketCounts::complete_match() const { return percent(complete, valid()); }
double BracketCounts::no_crossing() const { return percent(without_crossing, valid()); }
double BracketCounts::two_or_less_crossing() const { return percent(few_crossing, valid()); }
double BracketCounts::tag_accuracy() const { return percent(tags, words); }
double BracketCounts::average_crossing() const { return percent(crossing, valid()) / 100.0; }

BracketCounts compare_brackets(const std::string& gold_line, const std::string& test_line, const std::string* tags,
                               const EvalbRules& rules) {
  BracketCounts counts{.sentences = 1};
  ReadLine gold = read_line(gold_line);
  ReadLine test = read_line(test_line);
  counts.length = std::count_if(gold.words.begin(), gold.words.end(),
                                [&](const TaggedWord& word) { return !rules.not_in_length.contains(word.tag); });
  delete_words(gold, std::vector(gold.words), rules);
  delete_brackets(gold, rules);
  const std::vector<TaggedWord> tagged = tags == nullptr ? test.words : read_line(*tags).words;
  const bool aligned = tagged.size() == test.words.size();
  if (aligned) delete_words(test, tagged, rules);
  const bool readable = gold.readable && test.readable;
  if (readable && test.words.empty()) {
    counts.skips = 1;
  } else if (!readable || !aligned || !same_words(gold, test, rules)) {
    counts.errors = 1;
  } else {
    delete_brackets(test, rules);
    compare(gold, test, rules, counts);
  }
  if (counts.valid() == 0) counts.missed = static_cast<Index>(gold.brackets.size());
  return counts;
}

BracketFigures bracket_figures(std::span<const double> sums) {
  BracketFigures figures;
  for (std::size_t i = 0; i < members.size(); ++i) {
    figures.all.*members[i] = static_cast<Index>(sums[i]);
    figures.short_ones.*members[i] = static_cast<Index>(sums[members.size() + i]);
  }
  return figures;
}

Metric bracket_metric(const BracketOptions& options) {
  const Index cutoff = options.rules.cutoff;
  const std::string own_or_gold = options.gold_tags ? "gold" : "test";
  return {
      .name = "brackets",
      .settings = fmt::format("evalb:{}|tags:{}", options.rules.name,
                              options.tag_lines != nullptr ? options.tag_name : own_or_gold),
      .line_statistics = [options](Hypotheses h,
                                   References r) { return heed::metrics::line_statistics(h, r, options); },
      .score = [](std::span<const double> sums) { return bracket_figures(sums).all.f(); },
      .details = [](std::span<const double> sums) { return heed::metrics::details(bracket_figures(sums).all); },
      .parts =
          [cutoff](std::span<const double> sums) {
            const BracketFigures figures = bracket_figures(sums);
            std::vector<Part> parts;
            append_parts(figures.all, "", parts);
            append_parts(figures.short_ones, fmt::format("_{}", cutoff), parts);
            return parts;
          },
      .table = [cutoff](std::span<const double> sums) { return heed::metrics::table(bracket_figures(sums), cutoff); }};
}

}  // namespace heed::metrics
