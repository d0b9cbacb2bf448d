#include "treebank/slow_evalb.h"

#include <optional>

namespace heed::metrics {
namespace {

struct SlowWord {
  std::string tag, word;
  bool deleted = false;
};
struct SlowBracket {
  std::string label;
  int from = 0, to = 0;  // words, deleted ones included
  int start = 0, end = 0;
  bool left_out = false;
  bool used = false;
};
struct SlowLine {
  std::vector<SlowWord> words;
  std::vector<SlowBracket> brackets;

  std::vector<SlowWord> kept() const {
    std::vector<SlowWord> out;
    for (const SlowWord& word : words) {
      if (!word.deleted) out.push_back(word);
    }
    return out;
  }
  Index counted() const {
    Index count = 0;
    for (const SlowBracket& bracket : brackets) count += bracket.left_out ? 0 : 1;
    return count;
  }
};

// Brackets, texts, and runs of space as one space.
std::vector<std::string> tokens_of(const std::string& line) {
  std::vector<std::string> tokens;
  for (const char c : line) {
    const std::string one(1, std::isspace(static_cast<unsigned char>(c)) != 0 ? ' ' : c);
    const bool single = one == "(" || one == ")" || one == " ";
    const bool after_single = tokens.empty() || tokens.back() == "(" || tokens.back() == ")" || tokens.back() == " ";
    if (one == " " && !tokens.empty() && tokens.back() == " ") continue;
    if (single || after_single) {
      tokens.push_back(one);
    } else {
      tokens.back() += one;
    }
  }
  tokens.insert(tokens.end(), 5, "");  // looking ahead is safe
  return tokens;
}

bool is_text(const std::string& token) { return token != "(" && token != ")" && token != " " && !token.empty(); }

std::optional<SlowLine> slow_read(const std::string& line) {
  const std::vector<std::string> tokens = tokens_of(line);
  SlowLine out;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; !tokens[i].empty();) {
    if (tokens[i] == " ") {
      ++i;
    } else if (tokens[i] == ")") {
      if (open.empty()) return std::nullopt;
      out.brackets[open.back()].to = static_cast<int>(out.words.size());
      open.pop_back();
      ++i;
    } else if (tokens[i] == "(") {
      const bool labelled = is_text(tokens[i + 1]);
      const std::string label = labelled ? tokens[i + 1] : "";
      const std::size_t next = i + (labelled ? 2 : 1);
      const bool has_text = tokens[next] == " " && is_text(tokens[next + 1]);
      if (tokens[next] == " " && tokens[next + (has_text ? 2 : 1)] == ")") {
        out.words.push_back({label, has_text ? tokens[next + 1] : ""});
        i = next + (has_text ? 3 : 2);
      } else {
        open.push_back(out.brackets.size());
        out.brackets.push_back({label, static_cast<int>(out.words.size())});
        i = next;
      }
    } else {
      return std::nullopt;
    }
  }
  if (!open.empty()) return std::nullopt;
  return out;
}

void apply_rules(SlowLine& line, const EvalbRules& rules) {
  for (SlowWord& word : line.words) word.deleted = rules.deleted.count(word.tag) > 0;
  for (SlowBracket& bracket : line.brackets) {
    for (int i = 0; i < static_cast<int>(line.words.size()); ++i) {
      if (line.words[static_cast<std::size_t>(i)].deleted) continue;
      bracket.start += i < bracket.from ? 1 : 0;
      bracket.end += i < bracket.to ? 1 : 0;
    }
    std::string cut;
    for (const char c : bracket.label) {
      if (c == '-' || c == '=') break;
      cut += c;
    }
    bracket.label = cut;
    bracket.left_out = bracket.start == bracket.end || rules.deleted.count(cut) > 0;
  }
}

bool equal(const EvalbRules::Pairs& pairs, const std::string& a, const std::string& b) {
  if (a == b) return true;
  for (const auto& [x, y] : pairs) {
    if ((a == x && b == y) || (a == y && b == x)) return true;
  }
  return false;
}

bool crosses(const SlowBracket& a, const SlowBracket& b) {
  return (a.start < b.start && b.start < a.end && a.end < b.end) ||
         (b.start < a.start && a.start < b.end && b.end < a.end);
}

}  // namespace

BracketCounts slow_compare_brackets(const std::string& gold_line, const std::string& test_line,
                                    const EvalbRules& rules) {
  BracketCounts counts;
  counts.sentences = 1;
  std::optional<SlowLine> gold = slow_read(gold_line);
  std::optional<SlowLine> test = slow_read(test_line);
  if (gold) {
    for (const SlowWord& word : gold->words) counts.length += rules.not_in_length.count(word.tag) > 0 ? 0 : 1;
    apply_rules(*gold, rules);
    counts.missed = gold->counted();
  }
  counts.errors = 1;
  if (!gold || !test) return counts;
  apply_rules(*test, rules);
  const std::vector<SlowWord> gold_words = gold->kept();
  const std::vector<SlowWord> test_words = test->kept();
  if (test_words.empty()) {
    counts.errors = 0;
    counts.skips = 1;
    return counts;
  }
  if (gold_words.size() != test_words.size()) return counts;
  for (std::size_t i = 0; i < gold_words.size(); ++i) {
    if (!equal(rules.equal_words, gold_words[i].word, test_words[i].word)) return counts;
  }
  counts.errors = 0;
  counts.gold = std::exchange(counts.missed, 0);
  counts.test = test->counted();
  for (const SlowBracket& g : gold->brackets) {
    if (g.left_out) continue;
    for (SlowBracket& t : test->brackets) {
      if (t.left_out || t.used || g.start != t.start || g.end != t.end) continue;
      if (rules.labelled && !equal(rules.equal_labels, g.label, t.label)) continue;
      t.used = true;
      ++counts.matched;
      break;
    }
  }
  for (const SlowBracket& t : test->brackets) {
    bool crossing = false;
    for (const SlowBracket& g : gold->brackets) crossing = crossing || (!t.left_out && !g.left_out && crosses(g, t));
    counts.crossing += crossing ? 1 : 0;
  }
  counts.complete = counts.gold == counts.matched && counts.test == counts.matched ? 1 : 0;
  counts.without_crossing = counts.crossing == 0 ? 1 : 0;
  counts.few_crossing = counts.crossing <= 2 ? 1 : 0;
  counts.words = static_cast<Index>(gold_words.size());
  for (std::size_t i = 0; i < gold_words.size(); ++i) {
    counts.tags += equal(rules.equal_labels, gold_words[i].tag, test_words[i].tag) ? 1 : 0;
  }
  return counts;
}

}  // namespace heed::metrics
