#include "trees/tree.h"

#include <gtest/gtest.h>

#include "data/compress.h"
#include "error_message.h"
#include "test_folder.h"
#include "treebank/check.h"
#include "treebank/reader.h"
#include "trees/parsed.h"
#include "trees/random_trees.h"

namespace heed::treebank {
namespace {

const std::string cat = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))";

Flaw flaw_of(const std::string& line) {
  Tree tree;
  const auto flaw = parse_tree(line, tree);
  EXPECT_TRUE(flaw) << line;
  EXPECT_TRUE(tree.empty());
  return flaw.value_or(Flaw{});
}

TEST(Tree, ALineIsReadAndWritten) {
  const Tree tree = parsed(cat);
  EXPECT_EQ(write_tree(tree), cat);
  EXPECT_EQ(words_of(tree), (std::vector<std::string>{"the", "cat", "sat", "."}));
  EXPECT_EQ(depth_of(tree), 3);
  EXPECT_TRUE(tree.has_top());
  ASSERT_EQ(tree.nodes.size(), 8u);
  EXPECT_EQ(tree.nodes[2].label, "NP");
  EXPECT_EQ(tree.nodes[2].end, 5u);
}

TEST(Tree, SpacesAreFreeAndTheOuterLabelMayBeMissing) {
  EXPECT_EQ(write_tree(parsed("\t( (S(NP  (DT the )(NN cat))(VP(VBD sat))  (. .) ) )\r")),
            "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))");
}

TEST(Tree, BlankLinesAreEmpty) {
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed(" \t\r").empty());
  EXPECT_EQ(write_tree({}), "");
}

TEST(Tree, BadLinesNameTheFaultAndThePlace) {
  const auto expect = [](const std::string& line, Fault fault, std::size_t byte) {
    const Flaw flaw = flaw_of(line);
    EXPECT_EQ(flaw.fault, fault) << line << ": " << flaw.text;
    EXPECT_EQ(flaw.byte, byte) << line << ": " << flaw.text;
  };
  expect("(S (X a)", Fault::not_closed, 1);
  expect("(S (NP (X a)", Fault::not_closed, 4);
  expect("(S (X a", Fault::not_closed, 4);
  expect("(S (", Fault::not_closed, 4);
  expect("(S (X a)))", Fault::closed_too_often, 10);
  expect(")", Fault::closed_too_often, 1);
  expect("word", Fault::text_outside, 1);
  expect("(S (X a)) word", Fault::text_outside, 11);
  expect("(S (X a)) (S (X b))", Fault::second_tree, 11);
  expect("()", Fault::empty_bracket, 1);
  expect("( )", Fault::empty_bracket, 1);
  expect("(S (X) (Y b))", Fault::empty_bracket, 4);
  expect("(S (X ) (Y b))", Fault::empty_bracket, 4);
  expect("(S (X a b))", Fault::two_words, 9);
  expect("(S (X a) b)", Fault::word_beside_bracket, 10);
  expect("(S a (X b))", Fault::word_beside_bracket, 4);
  expect("(S ((X a)))", Fault::no_label, 4);
  expect("(S ( (X a)))", Fault::no_label, 4);
  expect("(S (X a\xff))", Fault::not_utf8, 8);
}

TEST(Tree, TenThousandWordsAreRead) {
  std::string line = "(S";
  for (int i = 0; i < 10000; ++i) line += " (NN word)";
  line += ")";
  EXPECT_EQ(words_of(parsed(line)).size(), 10000u);
  EXPECT_EQ(write_tree(parsed(line)), line);
}

TEST(Tree, DepthIsNoProblem) {
  constexpr int depth = 500000;
  std::string line;
  for (int i = 0; i < depth; ++i) line += "(A ";
  line += "(NN w)" + std::string(depth, ')');
  const Tree tree = parsed(line);
  EXPECT_EQ(depth_of(tree), depth);
  EXPECT_EQ(write_tree(tree), line);
  EXPECT_EQ(flaw_of(std::string(10'000'000, '(')).fault, Fault::no_label);
  std::string labelled;
  for (int i = 0; i < 10'000'000; ++i) labelled += "(A";
  EXPECT_EQ(flaw_of(labelled).fault, Fault::too_large);
}

TEST(Tree, RandomTreesComeBack) {
  RandomTrees random(2);
  for (int i = 0; i < 5000; ++i) {
    const Tree tree = random.tree(20);
    ASSERT_EQ(parsed(write_tree(tree)), tree) << write_tree(tree);
  }
}

TEST(Tree, TopIsAddedOnce) {
  EXPECT_EQ(write_tree(with_top(parsed("(S (X a))"))), "(TOP (S (X a)))");
  EXPECT_EQ(write_tree(with_top(parsed("(X a)"))), "(TOP (X a))");
  EXPECT_EQ(with_top(parsed(cat)), parsed(cat));
  EXPECT_TRUE(with_top({}).empty());
}

TEST(TreeReader, FilesAreReadCompressedToo) {
  const TestFolder folder;
  std::string packed;
  const auto compressor = compressor_for("trees.gz");
  compressor->add(cat + "\n\n" + cat, packed);
  compressor->finish(packed);
  for (const auto& path : {folder.write("trees", cat + "\n\n" + cat), folder.write("trees.gz", packed)}) {
    TreeReader reader(path);
    Tree tree;
    EXPECT_TRUE(reader.next(tree));
    EXPECT_EQ(write_tree(tree), cat);
    EXPECT_TRUE(reader.next(tree));
    EXPECT_TRUE(tree.empty());
    EXPECT_TRUE(reader.next(tree));
    EXPECT_EQ(reader.line_number(), 3);
    EXPECT_FALSE(reader.next(tree));
  }
}

TEST(TreeReader, ABadLineIsOneLineOfError) {
  const TestFolder folder;
  TreeReader reader(folder.write("bad.mrg", cat + "\n(S (X a)\n"));
  Tree tree;
  EXPECT_TRUE(reader.next(tree));
  const std::string message = error_message([&] { reader.next(tree); });
  EXPECT_NE(message.find("bad.mrg': line 2, byte 1: '(S' is not closed"), std::string::npos) << message;
}

TEST(TreebankCheck, CountsAndCompares) {
  const TestFolder folder;
  const std::vector<std::filesystem::path> files{
      folder.write("train", cat + "\n(S (X a))\n\n(S (X a))\n"),
      folder.write("dev", "(S (VB go) (X a))\n(FRAG (X a))\n(S (X b)\n" + cat + "\n")};
  const std::vector<FileReport> reports = check_treebanks(files, {});
  EXPECT_EQ(reports[0].lines, 4);
  EXPECT_EQ(reports[0].blank, 1);
  EXPECT_EQ(reports[0].trees, 3);
  EXPECT_EQ(reports[0].words, 6);
  EXPECT_EQ(reports[0].longest, 4);
  EXPECT_EQ(reports[0].longest_line, 1);
  EXPECT_EQ(reports[0].deepest, 3);
  EXPECT_EQ(reports[0].depth, 5);
  EXPECT_EQ(reports[0].labels.at("S"), 3);
  EXPECT_EQ(reports[0].tags.at("X"), 2);
  EXPECT_EQ(reports[0].repeated, 1);
  EXPECT_EQ(reports[0].bad(), 0);
  EXPECT_EQ(reports[1].bad(), 1);
  EXPECT_EQ(reports[1].in_first, 2);
  EXPECT_EQ(reports[1].in_first_long, 0);
  EXPECT_FALSE(is_sound(reports));
  const std::string text = report_text(reports);
  EXPECT_NE(text.find("tags that '" + files[0].string() + "' lacks: VB\n"), std::string::npos) << text;
  EXPECT_NE(text.find("line 3, byte 1: '(S' is not closed"), std::string::npos) << text;
  EXPECT_NE(verdict(reports).find("1 of 4 lines is not a tree"), std::string::npos) << verdict(reports);
}

}  // namespace
}  // namespace heed::treebank
