#include "metrics/brackets.h"

#include <gtest/gtest.h>

#include "error_message.h"
#include "metrics/bootstrap.h"
#include "test_folder.h"
#include "treebank/slow_evalb.h"
#include "trees/random_trees.h"

namespace heed::metrics {
namespace {

using Lines = std::vector<std::string>;
using Sets = std::vector<Lines>;

// AddressSanitizer and ThreadSanitizer take ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int random_lines = 10000;
#else
constexpr int random_lines = 100000;
#endif

const std::string cat = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (NN mats)))) (. .)))";

BracketCounts compared(const std::string& gold, const std::string& test, const EvalbRules& rules = {}) {
  return compare_brackets(gold, test, nullptr, rules);
}

BracketCounts scored(const Lines& gold, const Lines& test, const BracketOptions& options = {}) {
  const Metric metric = bracket_metric(options);
  return bracket_figures(metric.line_statistics(test, Sets{gold}).sum()).all;
}

TEST(Brackets, TheSameTreeIsComplete) {
  const BracketCounts counts = compared(cat, cat);
  EXPECT_EQ(counts.gold, 5);  // TOP does not count
  EXPECT_EQ(counts.matched, 5);
  EXPECT_EQ(counts.test, 5);
  EXPECT_EQ(counts.complete, 1);
  EXPECT_EQ(counts.words, 5);
  EXPECT_EQ(counts.tags, 5);
  EXPECT_EQ(counts.length, 6);  // punctuation counts
  EXPECT_EQ(counts.f(), 100.0);
}

TEST(Brackets, PunctuationVanishesWhereverItIs) {
  const std::string other = "(S (NP (DT the) (NN cat) (. .)) (VP (VBD sat) (PP (IN on) (NP (NN mats)))))";
  EXPECT_EQ(compared(cat, other).complete, 1);
}

TEST(Brackets, LabelsAreCutAndAdvpIsPrt) {
  EXPECT_EQ(compared("(S (NP-SBJ (X a)) (ADVP=2 (X b)))", "(S (NP (X a)) (PRT-1 (X b)))").complete, 1);
  EXPECT_EQ(compared("(S (NP (X a)))", "(S (VP (X a)))").matched, 1);
}

TEST(Brackets, ALabelTwiceOnASpanCountsAsOftenAsBothHaveIt) {
  const BracketCounts counts = compared("(S (NP (NP (NP (X a)))))", "(S (NP (NP (X a))))");
  EXPECT_EQ(counts.matched, 3);
  EXPECT_EQ(counts.gold, 4);
  EXPECT_EQ(counts.test, 3);
}

TEST(Brackets, CrossingBracketsOverlapWithoutNesting) {
  const BracketCounts counts = compared("(S (A (X a) (X b)) (X c))", "(S (X a) (A (X b) (X c)))");
  EXPECT_EQ(counts.crossing, 1);
  EXPECT_EQ(counts.without_crossing, 0);
  EXPECT_EQ(counts.few_crossing, 1);
}

TEST(Brackets, OtherWordsAreErrorsAndNoWordsAreSkipped) {
  EXPECT_EQ(compared("(S (X a))", "(S (X b))").errors, 1);
  EXPECT_EQ(compared("(S (X a))", "(S (X a) (X b))").errors, 1);
  EXPECT_EQ(compared("(S (X a))", "").skips, 1);
  EXPECT_EQ(compared("(S (X a))", "(S (. .))").skips, 1);
  EXPECT_EQ(compared("", "").skips, 1);
  EXPECT_EQ(compared("", "(S (X a))").errors, 1);
}

TEST(Brackets, LinesThatAreNotTreesAreErrors) {
  for (const char* test : {"(S (X a)", "(S (X a)))", "a", "(S (X a b))", "(S (X a) b)", "(S (X a ))"}) {
    const BracketCounts counts = compared("(S (X a))", test);
    EXPECT_EQ(counts.errors, 1) << test;
    EXPECT_EQ(counts.missed, 1) << test;
    EXPECT_EQ(counts.gold, 0) << test;
  }
  EXPECT_EQ(compared("(S (X a)", "(S (X a))").errors, 1);
}

TEST(Brackets, ASpaceMakesAWordOfNoLetters) {
  EXPECT_EQ(compared("(S (X ))", "(S (X ))").words, 1);
  EXPECT_EQ(compared("(S (X) (X a))", "(S (X a))").complete, 1);  // spans nothing
  EXPECT_EQ(compared("( (S (X a)))", "(S (X a))").gold, 2);       // the empty label counts
}

TEST(Brackets, SeveralRootsCount) { EXPECT_EQ(compared("(S (X a)) (S (X b))", "(S (X a)) (S (X b))").complete, 1); }

TEST(Brackets, TheTagsOfTheGoldDecideWhatIsDeleted) {
  const std::string untagged = "(S (NP (XX the) (XX cat)) (VP (XX sat) (PP (XX on) (NP (XX mats)))) (XX .))";
  EXPECT_EQ(compared(cat, untagged).errors, 1);
  const BracketCounts counts = compare_brackets(cat, untagged, &cat, {});
  EXPECT_EQ(counts.complete, 1);
  EXPECT_EQ(counts.tags, 0);  // its own
  EXPECT_EQ(compare_brackets(cat, "(S (XX the))", &cat, {}).errors, 1);
  EXPECT_EQ(compare_brackets(cat, "", &cat, {}).skips, 1);
}

TEST(Brackets, StrictFCountsWhatIsMissing) {
  const BracketCounts counts = scored({cat, cat, cat}, {cat, "", "(S (X dog))"});
  EXPECT_EQ(counts.f(), 100.0);
  EXPECT_NEAR(counts.strict_f(), 50.0, 1e-9);  // a third of the recall, all of the precision
  EXPECT_EQ(counts.errors, 1);
  EXPECT_EQ(counts.skips, 1);
}

TEST(Brackets, LongSentencesAreLeftOutOfTheSecondColumn) {
  std::string words;
  for (int i = 0; i < 41; ++i) words += " (X a)";
  const std::string longer = "(S" + words + ")";
  const Metric metric = bracket_metric();
  const BracketFigures figures = bracket_figures(metric.line_statistics(Lines{cat, longer}, Sets{{cat, longer}}).sum());
  EXPECT_EQ(figures.all.sentences, 2);
  EXPECT_EQ(figures.short_ones.sentences, 1);
}

TEST(Brackets, TenThousandWordsAndDeepChainsAreFast) {
  std::string wide = "(S";
  for (int i = 0; i < 10000; ++i) wide += " (NP (NN w))";
  wide += ")";
  EXPECT_EQ(compared(wide, wide).matched, 10001);
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "(A ";
  deep += "(NN w)" + std::string(200000, ')');
  EXPECT_EQ(compared(deep, deep).matched, 200000);
  EXPECT_EQ(compared(deep, std::string(10'000'000, '(')).errors, 1);
}

TEST(Brackets, TwoImplementationsAgreeOnRandomAndAlteredTrees) {
  EvalbRules other;
  other.equal_labels = {{"A", "B"}, {"B", "C"}, {"S", "S"}};
  other.equal_words = {{"x", "y"}};
  other.deleted = {"TOP", ",", "VP"};
  other.not_in_length = {"-NONE-", "."};
  EvalbRules unlabelled;
  unlabelled.labelled = false;
  const std::vector<EvalbRules> rules{{}, other, unlabelled};
  Index valid = 0;
  Index errors = 0;
  Index skips = 0;
  Index crossing = 0;
  treebank::RandomTrees random(1);
  for (int i = 0; i < random_lines; ++i) {
    const std::string gold = random.odd_line();
    const std::size_t kind = random.below(20);
    const std::string test = kind == 0 ? random.odd_line() : kind < 6 ? random.rebracketed(gold) : random.altered(gold);
    const EvalbRules& by = rules[random.below(rules.size())];
    const BracketCounts counts = compared(gold, test, by);
    ASSERT_EQ(counts, slow_compare_brackets(gold, test, by)) << gold << "\n" << test;
    valid += counts.valid();
    errors += counts.errors;
    skips += counts.skips;
    crossing += counts.crossing > 0 ? 1 : 0;
  }
  EXPECT_GT(valid, random_lines / 3);
  EXPECT_GT(errors, random_lines / 20);
  EXPECT_GT(skips, random_lines / 200);
  EXPECT_GT(crossing, random_lines / 100);
}

TEST(Brackets, TheMetricFitsTheBootstrap) {
  const Metric metric = bracket_metric();
  const LineStatistics statistics = metric.line_statistics(Lines{cat, "(S (X a))"}, Sets{{cat, "(T (X a))"}});
  EXPECT_NEAR(metric.score(statistics.sum()), 100.0 * 5 / 6, 1e-9);
  EXPECT_EQ(bootstrap_scores(metric, statistics, {.samples = 10}).size(), 10u);
  EXPECT_THROW(metric.line_statistics(Lines{cat}, Sets{{cat}, {cat}}), Error);
  EXPECT_THROW(metric.line_statistics(Lines{cat}, Sets{{cat, cat}}), Error);
}

TEST(EvalbRules, FilesAreRead) {
  const TestFolder folder;
  const EvalbRules rules =
      read_evalb_rules(folder.write("own.prm",
                                    "# comment\n\nDEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 10\nLABELED 0\nDELETE_LABEL TOP\r\n"
                                    "DELETE_LABEL_FOR_LENGTH -NONE-\nEQ_LABEL T TT\nEQ_WORD This this"));
  EXPECT_EQ(rules.name, "own.prm");
  EXPECT_EQ(rules.deleted, (EvalbRules::Names{"TOP"}));
  EXPECT_EQ(rules.not_in_length, (EvalbRules::Names{"-NONE-"}));
  EXPECT_EQ(rules.cutoff, 10);
  EXPECT_FALSE(rules.labelled);
  EXPECT_TRUE(rules.same_label("TT", "T"));
  EXPECT_TRUE(rules.same_word("this", "This"));
  EXPECT_FALSE(rules.same_label("ADVP", "PRT"));
}

TEST(EvalbRules, OtherKeysAreRefusedByName) {
  const TestFolder folder;
  const auto message = [&](const std::string& text) {
    return error_message([&] { read_evalb_rules(folder.write("own.prm", text)); });
  };
  EXPECT_NE(message("\nQUOTE_LABEL ''\n").find("line 2: QUOTE_LABEL is not supported"), std::string::npos);
  EXPECT_NE(message("DELETE_LABELS x").find("line 1: the key 'DELETE_LABELS' is unknown"), std::string::npos);
  EXPECT_NE(message("EQ_LABEL a").find("EQ_LABEL takes two values, not 1"), std::string::npos);
  EXPECT_NE(message("CUTOFF_LEN x").find("CUTOFF_LEN is 'x'"), std::string::npos);
}

}  // namespace
}  // namespace heed::metrics
