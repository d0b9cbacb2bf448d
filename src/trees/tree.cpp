#include "trees/tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figures.h"
#include "base/one_line.h"
#include "text/utf8.h"

namespace heed::treebank {
namespace {

// A line of 64 MiB could hold 20 million brackets, and a node takes many times their bytes.
constexpr std::size_t most_nodes = std::size_t{1} << 20;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_delimiter(char c) { return is_space(c) || c == '(' || c == ')'; }

class Parser {
 public:
  explicit Parser(std::string_view line) : line_(line) {}

  std::optional<Flaw> parse(Tree& tree) {
    if (const auto invalid = find_invalid_utf8(line_)) return flaw(Fault::not_utf8, *invalid, "this byte is not UTF-8");
    for (skip_spaces(); at_ < line_.size(); skip_spaces()) {
      if (std::optional<Flaw> found = take_next()) return found;
    }
    if (builder_.depth() > 0) return not_closed(opened_.back());
    tree = builder_.finish();
    return std::nullopt;
  }

 private:
  std::optional<Flaw> take_next() {
    switch (line_[at_]) {
      case '(': return take_opening();
      case ')': return take_closing();
      default: return take_stray_text();
    }
  }

  std::optional<Flaw> take_opening() {
    const std::size_t start = at_++;
    if (builder_.depth() == 0 && builder_.size() > 0) {
      return flaw(Fault::second_tree, start, "a second tree begins; write one tree a line");
    }
    if (builder_.size() == most_nodes) {
      return flaw(Fault::too_large, start,
                  fmt::format("more than {} brackets; write one tree a line", with_commas(most_nodes)));
    }
    const std::string_view label = take_token();
    skip_spaces();
    if (at_ == line_.size()) return not_closed(start);
    if (line_[at_] == ')') {
      return flaw(Fault::empty_bracket, start, fmt::format("'({})' holds neither a word nor a bracket", shown(label)));
    }
    return line_[at_] == '(' ? open_phrase(start, label) : add_word(start, label);
  }

  std::optional<Flaw> open_phrase(std::size_t start, std::string_view label) {
    if (label.empty() && builder_.depth() > 0) return flaw(Fault::no_label, start, "a bracket has no label");
    builder_.open(label.empty() ? "TOP" : label);
    opened_.push_back(start);
    return std::nullopt;
  }

  std::optional<Flaw> add_word(std::size_t start, std::string_view tag) {
    const std::string_view word = take_token();
    if (tag.empty()) return flaw(Fault::no_label, start, fmt::format("the word '{}' has no tag", shown(word)));
    skip_spaces();
    if (at_ == line_.size()) return not_closed(start);
    if (line_[at_] == '(') return beside_bracket(word);
    if (line_[at_] != ')') {
      const std::size_t second = at_;
      return flaw(
          Fault::two_words, second,
          fmt::format("'{}' is a second word in '({}'; each needs its own bracket", shown(take_token()), shown(tag)));
    }
    ++at_;
    builder_.add_word(tag, word);
    return std::nullopt;
  }

  std::optional<Flaw> take_closing() {
    if (builder_.depth() == 0) return flaw(Fault::closed_too_often, at_, "')' closes nothing");
    ++at_;
    builder_.close();
    opened_.pop_back();
    return std::nullopt;
  }

  std::optional<Flaw> take_stray_text() {
    const std::size_t start = at_;
    const std::string_view text = take_token();
    if (builder_.depth() > 0) return beside_bracket(text);
    return flaw(Fault::text_outside, start, fmt::format("'{}' is outside of brackets", shown(text)));
  }

  Flaw beside_bracket(std::string_view word) const {
    return flaw(Fault::word_beside_bracket, static_cast<std::size_t>(word.data() - line_.data()),
                fmt::format("the word '{}' is beside brackets; it needs its own, with a tag", shown(word)));
  }

  Flaw not_closed(std::size_t start) const {
    std::size_t end = start + 1;
    while (end < line_.size() && !is_delimiter(line_[end])) ++end;
    return flaw(
        Fault::not_closed, start,
        fmt::format("'{}' is not closed; write each tree on one line", shown(line_.substr(start, end - start))));
  }

  static Flaw flaw(Fault fault, std::size_t at, std::string text) { return {fault, at + 1, std::move(text)}; }
  static std::string shown(std::string_view text) { return one_line(text); }

  std::string_view take_token() {
    const std::size_t start = at_;
    while (at_ < line_.size() && !is_delimiter(line_[at_])) ++at_;
    return line_.substr(start, at_ - start);
  }
  void skip_spaces() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  TreeBuilder builder_;
  std::vector<std::size_t> opened_;  // where the open brackets begin
};

}  // namespace

std::optional<Flaw> parse_tree(std::string_view line, Tree& tree) {
  tree.nodes.clear();
  return Parser(line).parse(tree);
}

std::string write_tree(const Tree& tree) {
  std::string line;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    line.append(line.empty() ? "(" : " (").append(node.label);
    if (!node.is_word()) {
      open.push_back(node.end);
      continue;
    }
    line.append(" ").append(node.word).append(")");
    for (; !open.empty() && open.back() == i + 1; open.pop_back()) line += ')';
  }
  return line;
}

std::vector<std::string> words_of(const Tree& tree) {
  std::vector<std::string> words;
  for (const Node& node : tree.nodes) {
    if (node.is_word()) words.push_back(node.word);
  }
  return words;
}

Index depth_of(const Tree& tree) {
  std::size_t deepest = 0;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    while (!open.empty() && open.back() == i) open.pop_back();
    if (!tree.nodes[i].is_word()) open.push_back(tree.nodes[i].end);
    deepest = std::max(deepest, open.size());
  }
  return static_cast<Index>(deepest);
}

Tree with_top(const Tree& tree) {
  if (tree.empty() || tree.has_top()) return tree;
  Tree out;
  out.nodes.push_back({"TOP", {}, tree.nodes.size() + 1});
  for (Node node : tree.nodes) {
    ++node.end;
    out.nodes.push_back(std::move(node));
  }
  return out;
}

std::vector<std::string_view> split_at_spaces(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    if (at > start) tokens.push_back(line.substr(start, at - start));
    while (at < line.size() && is_space(line[at])) ++at;
  }
  return tokens;
}

std::string without_brackets(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '(') {
      out += "-LRB-";
    } else if (c == ')') {
      out += "-RRB-";
    } else {
      out += c;
    }
  }
  return out;
}

void TreeBuilder::open(std::string_view label) {
  open_.push_back(nodes_.size());
  nodes_.push_back({std::string(label), {}, 0});
}

void TreeBuilder::add_word(std::string_view tag, std::string_view word) {
  nodes_.push_back({std::string(tag), std::string(word), nodes_.size() + 1});
}

void TreeBuilder::close() {
  if (innermost_is_empty()) {
    nodes_.pop_back();
  } else {
    nodes_[open_.back()].end = nodes_.size();
    last_closed_ = open_.back();
  }
  open_.pop_back();
}

bool TreeBuilder::reopen() {
  if (!last_closed_ || nodes_[*last_closed_].end != nodes_.size()) return false;
  open_.push_back(*last_closed_);
  last_closed_.reset();
  return true;
}

Tree TreeBuilder::finish() {
  while (!open_.empty()) close();
  return {std::move(nodes_)};
}

}  // namespace heed::treebank
