#include "trees/linearise.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/figures.h"
#include "base/one_line.h"
#include "text/utf8.h"

namespace heed::treebank {
namespace {

constexpr std::string_view unknown_tag = "XX";

// A word symbol of the short form: a tag and the number of brackets that end after it.
struct WordSymbol {
  std::string_view tag;
  std::size_t ends = 0;
};

WordSymbol split_ends(std::string_view token) {
  const std::size_t slash = token.rfind('/');
  WordSymbol symbol{token, 0};
  if (slash == 0 || slash == token.npos || slash + 1 == token.size()) return symbol;
  std::size_t ends = 0;
  const auto [end, error] = std::from_chars(token.data() + slash + 1, token.data() + token.size(), ends);
  if (error != std::errc() || end != token.data() + token.size()) return symbol;
  return {token.substr(0, slash), ends};
}

std::string short_symbol(const std::string& tag, std::size_t ends) {
  // A tag that itself looks like one with ends needs the zero.
  const bool plain = ends == 0 && split_ends(tag).tag == tag;
  return plain ? tag : fmt::format("{}/{}", tag, ends);
}

bool has_bracket(std::string_view text) { return text.find_first_of("()") != text.npos; }

// Reads symbols one by one into a tree under TOP.
class SymbolReader {
 public:
  SymbolReader(std::span<const std::string_view> words, Form form) : words_(words), form_(form) {
    builder_.open("TOP");
  }

  using Wrong = std::optional<std::pair<Fault, std::string>>;

  // Takes a symbol, or says what is wrong with it and takes nothing.
  Wrong take(std::string_view token) {
    const char first = token.front();
    const std::string_view label = token.substr(first == '(' || first == ')' ? 1 : 0);
    if (label.empty() || has_bracket(label))
      return wrong(Fault::no_label, fmt::format("'{}' is not a symbol", one_line(token)));
    if (first == '(') {
      builder_.open(label);
      return std::nullopt;
    }
    return first == ')' ? take_end(token, label) : take_word(token);
  }

  // Takes what is of use in a symbol that take() refuses.
  void take_part(std::string_view token) {
    const std::string_view label = token.substr(1);
    if (token.front() == ')' && form_ != Form::short_ends) {
      std::size_t level = builder_.depth();
      while (level > 1 && builder_.open_label(level - 1) != label) --level;
      if (level == 1) return;
      while (builder_.depth() >= level) builder_.close();
    } else if (token.front() != '(' && token.front() != ')' && !has_bracket(token) && taken_ < words_.size()) {
      const WordSymbol symbol = split_ends(token);
      add_word(symbol.tag);
      for (std::size_t i = 0; i < symbol.ends && builder_.depth() > 1; ++i) builder_.close();
    }
  }

  void add_missing_words() {
    if (taken_ < words_.size() && builder_.depth() == 1) builder_.reopen();
    while (taken_ < words_.size()) add_word(unknown_tag);
  }

  std::size_t words_taken() const { return taken_; }
  const TreeBuilder& builder() const { return builder_; }
  Tree finish() { return builder_.finish(); }

 private:
  static Wrong wrong(Fault fault, std::string text) { return std::pair(fault, std::move(text)); }

  Wrong take_end(std::string_view token, std::string_view label) {
    if (form_ == Form::short_ends)
      return wrong(Fault::closed_too_often, fmt::format("'{}' is not a symbol of this form", one_line(token)));
    if (builder_.depth() == 1)
      return wrong(Fault::closed_too_often, fmt::format("'{}' closes nothing", one_line(token)));
    if (builder_.innermost() != label) {
      return wrong(Fault::closed_too_often,
                   fmt::format("'{}' follows an open '({}'", one_line(token), one_line(builder_.innermost())));
    }
    if (builder_.innermost_is_empty())
      return wrong(Fault::empty_bracket, fmt::format("'{}' closes a bracket without words", one_line(token)));
    builder_.close();
    return std::nullopt;
  }

  Wrong take_word(std::string_view token) {
    if (taken_ == words_.size()) {
      return wrong(Fault::two_words,
                   fmt::format("'{}' is a word symbol beyond the {}", one_line(token), counted(words_.size(), "word")));
    }
    if (form_ != Form::short_ends) {
      add_word(token);
      return std::nullopt;
    }
    const WordSymbol symbol = split_ends(token);
    if (symbol.ends > builder_.depth() - 1) {
      return wrong(Fault::closed_too_often,
                   fmt::format("'{}' ends more brackets than are open ({})", one_line(token), builder_.depth() - 1));
    }
    add_word(symbol.tag);
    for (std::size_t i = 0; i < symbol.ends; ++i) builder_.close();
    return std::nullopt;
  }

  void add_word(std::string_view tag) { builder_.add_word(tag, without_brackets(words_[taken_++])); }

  std::span<const std::string_view> words_;
  Form form_;
  TreeBuilder builder_;
  std::size_t taken_ = 0;
};

// The repaired tree with a phrase S around its words, if it has none.
Tree with_phrase(Tree tree) {
  const bool has_phrase =
      std::any_of(tree.nodes.begin() + 1, tree.nodes.end(), [](const Node& node) { return !node.is_word(); });
  if (has_phrase) return tree;
  TreeBuilder builder;
  builder.open("TOP");
  builder.open("S");
  for (const Node& node : tree.nodes) {
    if (node.is_word()) builder.add_word(node.label, node.word);
  }
  return builder.finish();
}

}  // namespace

std::size_t ends_of(std::string_view word_symbol) { return split_ends(word_symbol).ends; }

std::string linearise(const Tree& tree, Form form) {
  std::string line;
  const auto append = [&](std::string_view mark, std::string_view symbol) {
    if (!line.empty()) line += ' ';
    line.append(mark).append(symbol);
  };
  std::vector<std::size_t> open;  // nodes
  for (std::size_t i = tree.has_top() ? 1 : 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (!node.is_word()) {
      append("(", node.label);
      open.push_back(i);
      continue;
    }
    std::size_t ends = 0;
    while (ends < open.size() && tree.nodes[open[open.size() - 1 - ends]].end == i + 1) ++ends;
    if (form == Form::short_ends) {
      append("", short_symbol(node.label, ends));
    } else {
      append("", form == Form::xx ? unknown_tag : node.label);
      for (std::size_t e = 0; e < ends; ++e) append(")", tree.nodes[open[open.size() - 1 - e]].label);
    }
    open.resize(open.size() - ends);
  }
  return line;
}

std::optional<Flaw> delinearise(std::string_view line, std::span<const std::string_view> words, Form form, Tree& tree) {
  tree.nodes.clear();
  if (const auto invalid = find_invalid_utf8(line))
    return Flaw{Fault::not_utf8, *invalid + 1, "this byte is not UTF-8"};
  SymbolReader reader(words, form);
  for (const std::string_view token : split_at_spaces(line)) {
    if (auto wrong = reader.take(token)) {
      return Flaw{wrong->first, static_cast<std::size_t>(token.data() - line.data()) + 1, std::move(wrong->second)};
    }
  }
  if (reader.builder().depth() > 1) {
    return Flaw{Fault::not_closed, line.size(),
                fmt::format("'({}' is not closed", one_line(reader.builder().innermost()))};
  }
  if (reader.words_taken() < words.size()) {
    return Flaw{Fault::empty_bracket, line.size() + 1,
                fmt::format("{} for {}", counted(reader.words_taken(), "word symbol"), counted(words.size(), "word"))};
  }
  tree = reader.finish();
  return std::nullopt;
}

Tree repair(std::string_view line, std::span<const std::string_view> words, Form form) {
  Tree tree;
  if (words.empty() || !delinearise(line, words, form, tree)) return tree;
  const std::string valid = replace_invalid_utf8(line);
  SymbolReader reader(words, form);
  for (const std::string_view token : split_at_spaces(valid)) {
    if (reader.take(token)) reader.take_part(token);
  }
  reader.add_missing_words();
  return with_phrase(reader.finish());
}

}  // namespace heed::treebank
