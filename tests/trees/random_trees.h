// Random trees for tests: lines as a treebank has them, and lines with everything that EVALB's rules speak of.
#pragma once

#include <array>
#include <string>

#include "base/random.h"
#include "trees/tree.h"

namespace heed::treebank {

class RandomTrees {
 public:
  explicit RandomTrees(std::uint64_t seed) : key_(scramble(seed)) {}

  std::size_t below(std::size_t bound) { return random_key(key_, counter_++) % bound; }
  template <class List>
  const char* one_of(const List& list) {
    return list[below(list.size())];
  }

  // A well-formed tree of at most `words` words; half of them have TOP.
  Tree tree(std::size_t words) {
    TreeBuilder builder;
    if (below(2) == 0) builder.open("TOP");
    builder.open(one_of(labels));
    for (std::size_t left = 1 + below(words); left > 0; --left) {
      while (below(3) == 0) builder.open(one_of(labels));
      builder.add_word(one_of(tags), one_of(word_list));
      while (builder.depth() > 1 && below(3) == 0) builder.close();
      // After the end of the only phrase, another begins under TOP.
      if (builder.depth() == 1 && builder.innermost() == "TOP" && left > 1) builder.open(one_of(labels));
    }
    return builder.finish();
  }

  // A line of odd trees: function tags, unary chains, deleted words, brackets that span nothing, several roots.
  std::string odd_line() {
    std::string line;
    for (std::size_t roots = below(12) == 0 ? below(3) : 1; roots > 0; --roots) append_odd(5, line);
    return line;
  }

  // Other brackets around the words of a line of trees.
  std::string rebracketed(const std::string& line) {
    std::string out = "(S";
    std::size_t open = 0;
    for (std::size_t at = line.find('('); at != std::string::npos; at = line.find('(', at + 1)) {
      const std::size_t end = line.find_first_of("()", at + 1);
      if (end == std::string::npos || line[end] == '(' || line.find(' ', at) > end) continue;
      for (; below(3) == 0; ++open) out.append(" (").append(one_of(odd_labels));
      out.append(" ").append(line, at, end + 1 - at);
      for (; open > 0 && below(2) == 0; --open) out += ')';
    }
    return out + std::string(open + 1, ')');
  }

  // The line after a few changes, most of which leave a tree.
  std::string altered(std::string line) {
    for (std::size_t times = below(4); times > 0; --times) alter(line);
    return line;
  }

 private:
  static constexpr std::array labels{"S", "NP", "VP", "PP", "S", "NP", "ADJP-PRD", "A/1", "WHNP"};
  static constexpr std::array tags{"NN", "DT", "VBD", ".", ",", "-LRB-", "IN/1", "/1", "/"};
  static constexpr std::array word_list{"a", "the", "cat", "sat", ".", ",", "-LRB-", "Übung", "1/2"};
  static constexpr std::array odd_labels{"S",   "NP", "VP",     "ADVP",   "PRT", "NP-SBJ", "NP=2",
                                         "TOP", "",   "-NONE-", "ADVP-1", "A",   "B",      "C"};
  static constexpr std::array odd_tags{"NN",     "VB",   "NN",  ",", ".", "``",  ":",
                                       "-NONE-", "ADVP", "PRT", "A", "B", "NN-1"};
  static constexpr std::array odd_words{"x", "y", "x", "z"};

  void append_odd(int depth, std::string& line) {
    if (depth == 0 || below(3) == 0) {
      line.append("(").append(one_of(odd_tags)).append(below(20) == 0 ? "  " : " ");
      if (below(100) != 0) line.append(one_of(odd_words));
      line.append(")");
      return;
    }
    line.append("(").append(one_of(odd_labels));
    for (std::size_t children = below(15) == 0 ? 0 : 1 + below(3); children > 0; --children) {
      if (below(10) != 0) line += ' ';
      append_odd(depth - 1, line);
    }
    line.append(")");
  }

  void alter(std::string& line) {
    const std::size_t at = below(line.size() + 1);
    switch (below(6)) {
      case 0: replace_label(line, at); break;
      case 1: drop_bracket(line, at); break;
      case 2: replace_word(line, at); break;
      case 3: wrap(line, at); break;
      case 4:
        if (below(8) == 0) line.erase(at, 1 + below(3));
        break;
      case 5:
        if (below(40) == 0) line.clear();
        break;
    }
  }

  static std::size_t end_of_token(const std::string& line, std::size_t at) {
    return std::min(line.find_first_of(" ()", at), line.size());
  }

  void replace_label(std::string& line, std::size_t at) {
    const std::size_t open = line.find('(', at);
    if (open == std::string::npos) return;
    line.replace(open + 1, end_of_token(line, open + 1) - open - 1,
                 below(2) == 0 ? one_of(odd_labels) : one_of(odd_tags));
  }

  void replace_word(std::string& line, std::size_t at) {
    const std::size_t space = line.find(' ', at);
    if (space == std::string::npos || space + 1 == line.size() || line[space + 1] == '(') return;
    line.replace(space + 1, end_of_token(line, space + 1) - space - 1, one_of(odd_words));
  }

  // The end of the bracket that opens at `open`.
  static std::size_t closing(const std::string& line, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < line.size(); ++i) {
      depth += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
      if (depth == 0) return i;
    }
    return std::string::npos;
  }

  void drop_bracket(std::string& line, std::size_t at) {
    const std::size_t open = line.find('(', at);
    if (open == std::string::npos) return;
    const std::size_t end = closing(line, open);
    const std::size_t label_end = end_of_token(line, open + 1);
    if (end == std::string::npos || line.find('(', open + 1) > end) return;
    line.erase(end, 1).erase(open, label_end - open);
  }

  void wrap(std::string& line, std::size_t at) {
    const std::size_t open = line.find('(', at);
    if (open == std::string::npos) return;
    const std::size_t end = closing(line, open);
    if (end == std::string::npos) return;
    line.insert(end, ")").insert(open, std::string("(") + one_of(odd_labels) + " ");
  }

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace heed::treebank
