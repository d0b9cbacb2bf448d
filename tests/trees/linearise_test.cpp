#include "trees/linearise.h"

#include <gtest/gtest.h>

#include "trees/parsed.h"
#include "trees/random_trees.h"

namespace heed::treebank {
namespace {

constexpr std::array forms{Form::tags, Form::xx, Form::short_ends};

std::string delinearised(const std::string& line, const std::string& words, Form form = Form::tags) {
  Tree tree;
  const auto flaw = delinearise(line, split_at_spaces(words), form, tree);
  return flaw ? flaw->text : write_tree(tree);
}

std::string repaired(const std::string& line, const std::string& words, Form form = Form::tags) {
  return write_tree(repair(line, split_at_spaces(words), form));
}

Tree with_tags_xx(Tree tree) {
  for (Node& node : tree.nodes) {
    if (node.is_word()) node.label = "XX";
  }
  return tree;
}

std::string joined_words(const Tree& tree) {
  std::string line;
  for (const std::string& word : words_of(tree)) line.append(line.empty() ? "" : " ").append(word);
  return line;
}

TEST(Linearise, FormsLeaveOutTopAndWords) {
  const Tree tree = parsed("(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))");
  EXPECT_EQ(linearise(tree, Form::tags), "(S (NP DT NN )NP (VP VBD )VP . )S");
  EXPECT_EQ(linearise(tree, Form::xx), "(S (NP XX XX )NP (VP XX )VP XX )S");
  EXPECT_EQ(linearise(tree, Form::short_ends), "(S (NP DT NN/1 (VP VBD/1 ./1");
  EXPECT_EQ(linearise({}, Form::tags), "");
}

TEST(Linearise, TagsThatLookLikeEndsComeBack) {
  const std::string line = "(TOP (S (A/1 x) (B/2 y) (/1 z) (/ w)))";
  EXPECT_EQ(linearise(parsed(line), Form::short_ends), "(S A/1/0 B/2/0 /1 //1");
  EXPECT_EQ(delinearised("(S A/1/0 B/2/0 /1 //1", "x y z w", Form::short_ends), line);
}

TEST(Linearise, RandomTreesComeBackFromEveryForm) {
  RandomTrees random(3);
  for (int i = 0; i < 5000; ++i) {
    const Tree tree = random.tree(20);
    const std::string sentence = joined_words(tree);
    const std::vector<std::string_view> words = split_at_spaces(sentence);
    for (const Form form : forms) {
      const std::string line = linearise(tree, form);
      const Tree expected = with_top(form == Form::xx ? with_tags_xx(tree) : tree);
      Tree back;
      const auto flaw = delinearise(line, words, form, back);
      ASSERT_FALSE(flaw) << line << ": " << flaw->text;
      ASSERT_EQ(back, expected) << line;
      ASSERT_EQ(repair(line, words, form), expected) << line;
    }
  }
}

TEST(Delinearise, BracketsInWordsAreReplaced) {
  EXPECT_EQ(delinearised("(S X X X )S", "( a(b) )"), "(TOP (S (X -LRB-) (X a-LRB-b-RRB-) (X -RRB-)))");
}

TEST(Delinearise, BlankLinesStayBlank) {
  EXPECT_EQ(delinearised("", ""), "");
  EXPECT_EQ(repaired("", ""), "");
  EXPECT_EQ(repaired("(S X )S", ""), "");
}

TEST(Delinearise, MalformedLinesSayWhy) {
  EXPECT_EQ(delinearised("(S X", "a"), "'(S' is not closed");
  EXPECT_EQ(delinearised("(S X )S )S", "a"), "')S' closes nothing");
  EXPECT_EQ(delinearised("(S X )NP", "a"), "')NP' follows an open '(S'");
  EXPECT_EQ(delinearised("(S (NP )NP X )S", "a"), "')NP' closes a bracket without words");
  EXPECT_EQ(delinearised("(S X X )S", "a"), "'X' is a word symbol beyond the 1 word");
  EXPECT_EQ(delinearised("(S X )S", "a b"), "1 word symbol for 2 words");
  EXPECT_EQ(delinearised("", "a"), "0 word symbols for 1 word");
  EXPECT_EQ(delinearised("( X )", "a"), "'(' is not a symbol");
  EXPECT_EQ(delinearised("(S X/2", "a", Form::short_ends), "'X/2' ends more brackets than are open (1)");
  EXPECT_EQ(delinearised("(S X )S", "a", Form::short_ends), "')S' is not a symbol of this form");
}

TEST(Repair, DropsAddsAndCloses) {
  EXPECT_EQ(repaired("(S X )VP )S", "a"), "(TOP (S (X a)))");                        // an end that matches nothing
  EXPECT_EQ(repaired("(S (NP X )S", "a"), "(TOP (S (NP (X a))))");                   // an end of an outer bracket
  EXPECT_EQ(repaired("(S X X X )S", "a b"), "(TOP (S (X a) (X b)))");                // too many words
  EXPECT_EQ(repaired("(S (NP X", "a b"), "(TOP (S (NP (X a) (XX b))))");             // too few, still open
  EXPECT_EQ(repaired("(S (NP X )NP )S", "a b"), "(TOP (S (NP (X a)) (XX b)))");      // too few, all closed
  EXPECT_EQ(repaired("(S X (NP )NP (VP", "a"), "(TOP (S (X a)))");                   // empty brackets
  EXPECT_EQ(repaired("", "a b"), "(TOP (S (XX a) (XX b)))");                         // nothing left
  EXPECT_EQ(repaired(")S ( ) ((X )))", "a"), "(TOP (S (XX a)))");                    // no symbols
  EXPECT_EQ(repaired("(S X/9", "a b", Form::short_ends), "(TOP (S (X a) (XX b)))");  // too many ends
  EXPECT_EQ(repaired("(S X/1 )S (NP", "a", Form::short_ends), "(TOP (S (X a)))");    // ends of another form
}

TEST(Repair, AnyLineGivesATreeWithAllWords) {
  RandomTrees random(4);
  constexpr std::array symbols{"(S", "(NP", ")S", ")NP", "X", "NN", "X/1", "X/3", "(", ")", "((", "\xff", ")VP"};
  for (int i = 0; i < 20000; ++i) {
    std::string line;
    for (std::size_t count = random.below(20); count > 0; --count) line.append(random.one_of(symbols)).append(" ");
    std::string sentence = "w";
    for (std::size_t count = random.below(6); count > 0; --count) sentence += " w";
    const std::vector<std::string_view> words = split_at_spaces(sentence);
    const Tree tree = repair(line, words, forms[random.below(forms.size())]);
    ASSERT_EQ(joined_words(tree), sentence) << line;
    ASSERT_EQ(parsed(write_tree(tree)), tree) << line;
  }
}

}  // namespace
}  // namespace heed::treebank
