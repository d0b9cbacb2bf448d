#include "parsing/tree_grammar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/special_tokens.h"
#include "error_message.h"
#include "text/space_tokenizer.h"
#include "trees/random_trees.h"
#include "trees/tree.h"

namespace heed {
namespace {

using treebank::Form;
using treebank::Tree;

constexpr std::array forms{Form::tags, Form::xx, Form::short_ends};

std::shared_ptr<const Tokenizer> symbols_of(const std::string& text) {
  const std::vector<std::string> lines{text};
  return train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 100}, lines);
}

std::shared_ptr<const Tokenizer> usual_symbols(Form form) {
  switch (form) {
    case Form::tags: return symbols_of("(S )S (NP )NP (VP )VP DT NN . (LONELY");
    case Form::xx: return symbols_of("(S )S (NP )NP (VP )VP XX");
    case Form::short_ends: return symbols_of("(S (NP (VP DT NN NN/1 NN/2 ./1 ./3 DT/40");
  }
  return nullptr;
}

std::vector<std::string_view> words_for(Index count) {
  return std::vector<std::string_view>(static_cast<std::size_t>(count), "word");
}

// Takes tokens at random until </s>. `favour` gives the share of steps that open a bracket if one may be opened.
std::vector<int> walk(const TreeGrammar& grammar, Index most, std::uint64_t seed, double favour,
                      const Tokenizer& target) {
  std::vector<int> pieces;
  std::vector<int> banned(static_cast<std::size_t>(grammar.vocabulary()));
  for (std::uint64_t step = 0;; ++step) {
    const std::size_t count = grammar.ban(pieces, most, banned);
    std::vector<int> allowed, opening;
    for (int token = 0; token < static_cast<int>(grammar.vocabulary()); ++token) {
      if (std::find(banned.begin(), banned.begin() + static_cast<std::ptrdiff_t>(count), token) !=
          banned.begin() + static_cast<std::ptrdiff_t>(count))
        continue;
      allowed.push_back(token);
      if (target.piece(token)[0] == '(') opening.push_back(token);
    }
    EXPECT_FALSE(allowed.empty()) << "dead end after " << pieces.size() << " pieces";
    if (allowed.empty()) return pieces;
    const std::uint64_t key = random_key(seed, step);
    const bool opens = !opening.empty() && static_cast<double>(key % 1000) < 1000 * favour;
    const std::vector<int>& from = opens ? opening : allowed;
    const int token = from[(key >> 20) % from.size()];
    if (token == end_token) return pieces;
    pieces.push_back(token);
    EXPECT_LE(static_cast<Index>(pieces.size()), most);
    if (static_cast<Index>(pieces.size()) > most) return pieces;
  }
}

TEST(TreeGrammar, EveryWalkEndsAsATreeWithAllWords) {
  for (const Form form : forms) {
    const auto target = usual_symbols(form);
    const auto symbols = std::make_shared<TreeSymbols>(*target, form);
    for (std::uint64_t seed = 0; seed < 7000; ++seed) {
      const auto words = static_cast<Index>(1 + seed % 23);
      const TreeGrammar grammar(symbols, words);
      const Index most = seed % 2 == 0 ? grammar.least_room() : grammar.least_room() + 300;
      const std::vector<int> pieces = walk(grammar, most, seed, seed % 3 == 0 ? 0.9 : 0.2, *target);
      const std::string line = fmt::format("{}", fmt::join(target->pieces(pieces), " "));
      Tree tree;
      const auto flaw = delinearise(line, words_for(words), form, tree);
      // The last word of the short form may leave brackets open.
      if (form == Form::short_ends && flaw && flaw->fault == treebank::Fault::not_closed)
        tree = repair(line, words_for(words), form);
      else
        ASSERT_FALSE(flaw) << line << ": " << flaw->text;
      ASSERT_EQ(words_of(tree).size(), static_cast<std::size_t>(words)) << line;
      ASSERT_FALSE(treebank::parse_tree(write_tree(tree), tree)) << line;
    }
  }
}

// A grammar that allowed too little would pass every test above.
TEST(TreeGrammar, EverySymbolOfARealTreeIsAllowed) {
  treebank::RandomTrees random(3);
  for (int i = 0; i < 1000; ++i) {
    const Tree tree = random.tree(12);
    // With one phrase at its root, below TOP.
    const treebank::Node& root = tree.nodes[tree.has_top() ? 1 : 0];
    if (root.is_word() || root.end != tree.nodes.size()) continue;
    for (const Form form : forms) {
      const std::string line = linearise(tree, form);
      const auto target = symbols_of(line);
      const TreeGrammar grammar(std::make_shared<TreeSymbols>(*target, form),
                                static_cast<Index>(words_of(tree).size()));
      std::vector<int> tokens = target->encode(line);
      tokens.push_back(end_token);
      std::vector<int> banned(static_cast<std::size_t>(grammar.vocabulary()));
      for (std::size_t n = 0; n < tokens.size(); ++n) {
        const std::size_t count = grammar.ban(std::span(tokens).first(n), 1000, banned);
        const auto end = banned.begin() + static_cast<std::ptrdiff_t>(count);
        ASSERT_EQ(std::find(banned.begin(), end, tokens[n]), end) << line << ": symbol " << n;
      }
    }
  }
}

TEST(TreeGrammar, AtMostTwelveBracketsOpenInARow) {
  const auto target = usual_symbols(Form::tags);
  const TreeGrammar grammar(std::make_shared<TreeSymbols>(*target, Form::tags), 2);
  const int open = target->id_of("(NP");
  std::vector<int> pieces(11, open), banned(static_cast<std::size_t>(grammar.vocabulary()));
  const auto allows_open = [&] {
    const auto end = banned.begin() + static_cast<std::ptrdiff_t>(grammar.ban(pieces, 1000, banned));
    return std::find(banned.begin(), end, open) == end;
  };
  EXPECT_TRUE(allows_open());
  pieces.push_back(open);
  EXPECT_FALSE(allows_open());
}

TEST(TreeGrammar, OneWordNeedsThreeSymbols) {
  const auto target = usual_symbols(Form::xx);
  const TreeGrammar grammar(std::make_shared<TreeSymbols>(*target, Form::xx), 1);
  EXPECT_EQ(grammar.least_room(), 3);
  EXPECT_EQ(walk(grammar, 3, 1, 1.0, *target).size(), 3u);
}

TEST(TreeGrammar, ABracketThatCannotBeClosedIsNeverOpened) {
  const auto target = usual_symbols(Form::tags);
  const TreeSymbols symbols(*target, Form::tags);
  EXPECT_EQ(symbols[target->id_of("(LONELY")].kind, TreeSymbols::Kind::none);
  EXPECT_EQ(symbols[target->id_of("(NP")].kind, TreeSymbols::Kind::open);
}

TEST(TreeGrammar, ShortFormsWithoutAPlainWordStillEnd) {
  const auto target = symbols_of("(S NN/1 NN/2");
  const auto symbols = std::make_shared<TreeSymbols>(*target, Form::short_ends);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TreeGrammar grammar(symbols, 5);
    const std::vector<int> pieces = walk(grammar, grammar.least_room(), seed, 0.3, *target);
    const std::string line = fmt::format("{}", fmt::join(target->pieces(pieces), " "));
    EXPECT_EQ(words_of(repair(line, words_for(5), Form::short_ends)).size(), 5u) << line;
  }
}

TEST(TreeGrammar, AVocabularyWithoutTreesIsRefused) {
  for (const char* text : {"a b c", "(S )S", "(S NN"}) {
    EXPECT_NE(error_message([&] { TreeSymbols(*symbols_of(text), Form::tags); }).find("heed train --task parse"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace heed
