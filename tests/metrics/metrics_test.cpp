// Tests beyond sacreBLEU's stored figures: invalid UTF-8, the bootstrap, and single parts of the metrics.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/error.h"
#include "metrics/bleu.h"
#include "metrics/bootstrap.h"
#include "metrics/chrf.h"
#include "metrics/edit_distance.h"
#include "metrics/ter.h"
#include "metrics/unicode.h"

namespace heed::metrics {
namespace {

using Lines = std::vector<std::string>;
using Sets = std::vector<Lines>;

TEST(Unicode, BrokenBytesBecomeOneReplacementForEachPiece) {
  EXPECT_EQ(decode_utf8("a\xff"
                        "b"),
            U"a\ufffdb");
  EXPECT_EQ(decode_utf8("\xe2\x82"), U"\ufffd");                  // truncated
  EXPECT_EQ(decode_utf8("\xf0\x9f\x98x"), U"\ufffdx");            // truncated by another character
  EXPECT_EQ(decode_utf8("\xed\xa0\x80"), U"\ufffd\ufffd\ufffd");  // a surrogate
  EXPECT_EQ(decode_utf8("\xc0\x80"), U"\ufffd\ufffd");            // overlong
  EXPECT_EQ(decode_utf8(std::string("a\0b", 3)), std::u32string(U"a\0b", 3));
}

TEST(Unicode, SpaceIsWhatPythonTakesForIt) {
  int spaces = 0;
  for (char32_t c = 0; c < 0x110000; ++c) spaces += is_space(c) ? 1 : 0;
  EXPECT_EQ(spaces, 29);
  for (const char32_t c : U"\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000") {
    EXPECT_TRUE(c == 0 || is_space(c)) << static_cast<std::uint32_t>(c);
  }
  EXPECT_FALSE(is_space(0x200b));
  EXPECT_FALSE(is_space(0xfeff));
}

TEST(Unicode, CharactersNewerThanTheSystemAreClassified) {
  EXPECT_TRUE(is_symbol(0x1fae9));
  EXPECT_TRUE(is_punctuation(0x1b7f));
  EXPECT_TRUE(is_number(0x116d0));
  EXPECT_FALSE(is_symbol(0x116d0));
  EXPECT_FALSE(is_symbol(0x10ffff));
}

TEST(Unicode, LowerKnowsFinalSigmaAndTheDottedI) {
  EXPECT_EQ(lower(U"ΟΔΥΣΣΕΥΣ Σ"), U"οδυσσευς σ");
  EXPECT_EQ(lower(U"İ"), U"i\u0307");
  EXPECT_EQ(lower(U"GROẞ 😀"), U"groß 😀");
}

TEST(Unicode, WordsStandBetweenSpaces) {
  EXPECT_TRUE(split_words(U" \u2028\t").empty());
  const std::u32string text = U" one\u3000two\u2028three ";
  EXPECT_EQ(split_words(text), (std::vector<std::u32string_view>{U"one", U"two", U"three"}));
}

TEST(Tokenizers, MarksInsideNumbersStay) {
  const std::u32string text = tokenize(U"It cost 1,000.50, (or 7-8) &amp;lt; x.", Tokenizer::v13a);
  EXPECT_EQ(split_words(text), (std::vector<std::u32string_view>{U"It", U"cost", U"1,000.50", U",", U"(", U"or", U"7",
                                                                 U"-", U"8", U")", U"<", U"x", U"."}));
}

TEST(Bleu, PerfectLinesScoreAHundred) {
  const Lines lines{"the cat sat on the mat", "a second line of words"};
  const BleuScore score = bleu(lines, Sets{lines});
  EXPECT_NEAR(score.score, 100.0, 1e-9);
  EXPECT_EQ(score.hypothesis_length, 11);
  EXPECT_EQ(score.reference_length, 11);
  EXPECT_EQ(score.brevity_penalty, 1.0);
}

TEST(Bleu, EmptyHypothesisScoresZero) {
  const BleuScore score = bleu(Lines{""}, Sets{{"some words"}});
  EXPECT_EQ(score.score, 0.0);
  EXPECT_EQ(score.brevity_penalty, 0.0);
}

TEST(Bleu, NoLinesScoreZero) {
  EXPECT_EQ(bleu(Lines{}, Sets{{}}).score, 0.0);
  EXPECT_EQ(chrf(Lines{}, Sets{{}}), 0.0);
  EXPECT_EQ(ter(Lines{}, Sets{{}}).score, 0.0);
}

TEST(Bleu, TakesTheReferenceNearestInLengthAndTheShorterOfTwo) {
  const BleuScore score = bleu(Lines{"a b c d"}, Sets{{"a b c d e f"}, {"a b"}, {"a b c d e f g"}});
  EXPECT_EQ(score.reference_length, 2);
}

TEST(Bleu, BrokenBytesMatchOtherBrokenBytes) {
  const BleuScore score = bleu(Lines{"a b c \xff"}, Sets{{"a b c \xfe"}});
  EXPECT_NEAR(score.score, 100.0, 1e-9);
}

TEST(Metrics, DifferentNumbersOfLinesAreRefused) {
  EXPECT_THROW(bleu(Lines{"a", "b"}, Sets{{"a"}}), Error);
  EXPECT_THROW(chrf(Lines{"a"}, Sets{{"a"}, {"a", "b"}}), Error);
  EXPECT_THROW(ter(Lines{"a"}, Sets{}), Error);
}

TEST(Metrics, SignaturesNameTheSettings) {
  EXPECT_EQ(signature(bleu_metric({.tokenizer = Tokenizer::intl, .lowercase = true}), 2).substr(0, 47),
            "nrefs:2|case:lc|eff:no|tok:intl|smooth:exp|vers");
  EXPECT_EQ(chrf_metric({.word_order = 2}).name, "chrF2++");
  const std::string paired = signature(ter_metric(), 1, BootstrapOptions{500, 7});
  EXPECT_EQ(paired.substr(0, paired.rfind('|')), "nrefs:1|bs:500|seed:7|case:lc|tok:tercom|norm:no|punct:yes|asian:no");
}

TEST(Chrf, SpaceDoesNotCount) {
  EXPECT_NEAR(chrf(Lines{"ab cd ef gh"}, Sets{{"abcd\u2028efgh"}}), 100.0, 1e-9);
  EXPECT_LT(chrf(Lines{"ab cd ef gh"}, Sets{{"abcd efgh"}}, {.word_order = 2}), 100.0);
}

TEST(Chrf, TakesTheBestReferenceOfEachLine) {
  EXPECT_NEAR(chrf(Lines{"abc", "xyz"}, Sets{{"abc", "qqq"}, {"qqq", "xyz"}}), 100.0, 1e-9);
}

TEST(Ter, AShiftedPhraseIsOneEdit) {
  const TerScore score = ter(Lines{"d e f a b c"}, Sets{{"a b c d e f"}});
  EXPECT_EQ(score.edits, 1);
  EXPECT_NEAR(score.score, 100.0 / 6.0, 1e-12);
}

TEST(Ter, EmptySidesCountEveryWord) {
  EXPECT_EQ(ter(Lines{""}, Sets{{"a b c"}}).edits, 3);
  EXPECT_EQ(ter(Lines{"a b"}, Sets{{""}}).score, 100.0);
  EXPECT_EQ(ter(Lines{""}, Sets{{""}}).score, 0.0);
}

TEST(Ter, VeryDifferentLengthsAreAligned) {
  std::string reference = "w";
  for (int i = 0; i < 3000; ++i) reference += " w" + std::to_string(i % 7);
  EXPECT_EQ(ter(Lines{"w w3"}, Sets{{reference}}).edits, 3000);  // the band is too narrow for both words
  EXPECT_EQ(ter(Lines{reference}, Sets{{"w w3"}}).edits, 2999);
}

int full_edit_distance(Words a, Words b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i));
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

TEST(EditDistance, InsideTheBandItIsExactFromAnyRowOn) {
  std::vector<std::uint32_t> reference;
  std::vector<std::uint32_t> base;
  for (std::uint32_t i = 0; i < 20; ++i) reference.push_back(i * i % 7);
  for (std::uint32_t i = 0; i < 17; ++i) base.push_back(i * 5 % 7);
  EditDistance distance(reference, base.size());
  EXPECT_EQ(distance.set_base(base), full_edit_distance(base, reference));
  for (std::size_t same = 0; same < base.size(); ++same) {
    std::vector<std::uint32_t> other = base;
    std::reverse(other.begin() + static_cast<std::ptrdiff_t>(same), other.end());
    const int expected = full_edit_distance(other, reference);
    EXPECT_EQ(distance.distance(other, same, expected), expected);
    EXPECT_GT(distance.distance(other, same, expected - 1), expected - 1);
  }
}

TEST(Bootstrap, TheSameSeedDrawsTheSameSamples) {
  const Metric metric = bleu_metric();
  const Lines hypotheses{"a b c d e", "a b x d e", "f g h i j k", "f g"};
  const Sets references{{"a b c d e", "a b c d e", "f g h i j k", "f g h"}};
  const LineStatistics statistics = metric.line_statistics(hypotheses, references);
  const auto first = bootstrap_scores(metric, statistics, {.samples = 50, .seed = 1});
  EXPECT_EQ(first, bootstrap_scores(metric, statistics, {.samples = 50, .seed = 1}));
  EXPECT_NE(first, bootstrap_scores(metric, statistics, {.samples = 50, .seed = 2}));
}

TEST(Bootstrap, SamplesCentreOnTheScore) {
  const Metric metric = ter_metric();
  Lines hypotheses;
  Lines references;
  for (int i = 0; i < 200; ++i) {
    references.push_back("one two three four");
    hypotheses.push_back(i % 4 == 0 ? "one two four" : "one two three four");
  }
  const LineStatistics statistics = metric.line_statistics(hypotheses, Sets{references});
  const Estimate e = estimate(bootstrap_scores(metric, statistics, {}));
  // 50 of 200 lines have an edit, of 4 words each: 6.25, with a deviation of 25 √(0.25 · 0.75 / 200).
  EXPECT_NEAR(e.mean, 6.25, 0.1);
  EXPECT_NEAR(e.half_width, 1.96 * 25.0 * std::sqrt(0.25 * 0.75 / 200.0), 0.25);
}

TEST(Bootstrap, TheIntervalLeavesOutAFortiethAtEitherEnd) {
  std::vector<double> scores(80);
  std::iota(scores.rbegin(), scores.rend(), 0.0);
  const Estimate e = estimate(scores);
  EXPECT_EQ(e.mean, 39.5);
  EXPECT_EQ(e.half_width, 0.5 * (77.0 - 2.0));
}

TEST(Bootstrap, ThePValueCountsSamplesFartherFromTheirMeanThanTheRealDifference) {
  const std::vector<double> baseline{10, 12, 11, 13, 9};
  // Differences of 10, 0, 0, 0 and 0, so 8, −2, −2, −2 and −2 around their mean.
  const std::vector<double> system{20, 12, 11, 13, 9};
  EXPECT_EQ(paired_p_value(baseline, system, 1.0), 2.0 / 6.0);
  EXPECT_EQ(paired_p_value(baseline, system, -1.0), 2.0 / 6.0);
  EXPECT_EQ(paired_p_value(baseline, system, 8.5), 1.0 / 6.0);
}

}  // namespace
}  // namespace heed::metrics
