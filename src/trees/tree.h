// Constituency trees in brackets, one a line: (TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))
//
// A tree is a flat list of nodes in the order in which their brackets open, so nothing here recurses: depth is limited
// by the length of a line alone. An empty list is a blank line. Every phrase holds a word somewhere below it; labels,
// tags and words are not empty and have no brackets or spaces.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"

namespace heed::treebank {

struct Node {
  std::string label;    // of a phrase, or the tag of a word
  std::string word;     // empty: a phrase
  std::size_t end = 0;  // one past the last node below it; for a word one past itself

  bool is_word() const { return !word.empty(); }
  bool operator==(const Node&) const = default;
};

struct Tree {
  std::vector<Node> nodes;

  bool empty() const { return nodes.empty(); }
  // Whether the outermost bracket is TOP and holds more than a word.
  bool has_top() const { return !nodes.empty() && !nodes[0].is_word() && nodes[0].label == "TOP"; }
  bool operator==(const Tree&) const = default;
};

// What can be wrong with a line.
enum class Fault {
  not_utf8,
  text_outside,
  not_closed,
  closed_too_often,
  second_tree,
  no_label,
  empty_bracket,
  two_words,
  word_beside_bracket,
  too_large,
};
constexpr std::size_t fault_count = 10;

struct Flaw {
  Fault fault{};
  std::size_t byte = 0;  // from 1
  std::string text;      // "'(NP' is not closed"
};

// Reads a line; of a bad one it returns the first flaw and leaves the tree empty. The outermost bracket may lack its
// label, which then is TOP.
std::optional<Flaw> parse_tree(std::string_view line, Tree& tree);

// The line that parse_tree reads, with single spaces.
std::string write_tree(const Tree& tree);

std::vector<std::string> words_of(const Tree& tree);
// The number of phrases around the deepest word, TOP included.
Index depth_of(const Tree& tree);
// The tree with TOP around it, unless it has it.
Tree with_top(const Tree& tree);

// Words of a line, separated by spaces and tabs.
std::vector<std::string_view> split_at_spaces(std::string_view line);
// A word as it may stand in a tree: brackets become -LRB- and -RRB-.
std::string without_brackets(std::string_view word);

// Makes a tree from left to right.
class TreeBuilder {
 public:
  void open(std::string_view label);
  void add_word(std::string_view tag, std::string_view word);
  // Closes the innermost bracket; one that holds nothing vanishes.
  void close();
  // Opens the bracket that was closed last again, if nothing came after it; false if there is none.
  bool reopen();

  std::size_t depth() const { return open_.size(); }
  std::size_t size() const { return nodes_.size(); }
  // Of the innermost open bracket; there must be one.
  const std::string& innermost() const { return nodes_[open_.back()].label; }
  bool innermost_is_empty() const { return open_.back() + 1 == nodes_.size(); }
  const std::string& open_label(std::size_t level) const { return nodes_[open_[level]].label; }  // 0: the outermost

  // Closes what is open.
  Tree finish();

 private:
  std::vector<Node> nodes_;
  std::vector<std::size_t> open_;  // from the outermost to the innermost
  std::optional<std::size_t> last_closed_;
};

}  // namespace heed::treebank
