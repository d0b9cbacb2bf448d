// The search of one sentence, fed with made-up log-probabilities.
#include "decoding/beam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/special_tokens.h"
#include "heed/error.h"

namespace heed {
namespace {

using kernels::Candidate;

struct Case {
  explicit Case(const SearchOptions& options, Index most_pieces)
      : lineage(1000, arena), states(1000, arena), beam(lineage, states) {
    request.options = options;
    beam.start(request, most_pieces, start_token, {});
  }

  // The same number of candidates for each live hypothesis; logits are log-probabilities here.
  void advance(std::vector<Candidate> candidates) {
    std::vector<float> log_sums(static_cast<std::size_t>(beam.live()), 0.0f);
    beam.advance({candidates, log_sums});
  }
  int last_token(Index hypothesis) const { return beam.row(hypothesis).token; }

  Request request;
  Arena arena;
  Lineage lineage;
  StatePool states;
  Beam beam;
};

TEST(Beam, GoesOnWhileALongerTranslationCanStillBeBetter) {
  Case c({.beam = 2, .alpha = 1.0f}, 10);
  c.advance({{end_token, -1.2f}, {3, -1.5f}});
  // −1.5 / lp(11) is above −1.2; −1.5 / lp(2) is not, so stopping here would lose the better translation.
  EXPECT_FALSE(c.beam.done());
  for (int i = 0; i < 3; ++i) c.advance({{3, 0.0f}, {4, -100.0f}});
  EXPECT_FALSE(c.beam.done());
  c.advance({{end_token, 0.0f}, {3, -100.0f}, {end_token, -100.0f}, {4, -100.0f}});
  EXPECT_TRUE(c.beam.done());
  const std::vector<Hypothesis> results = c.beam.take_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].tokens, (std::vector<int>{3, 3, 3, 3}));
  EXPECT_DOUBLE_EQ(results[0].score, -1.5 / (10.0 / 6.0));
}

// |Y|^α grows faster than the paper's: for the same two continuations one search ends here and the other continues.
TEST(Beam, ThePenaltyDecidesWhetherALongerTranslationCanStillBeBetter) {
  for (const LengthPenalty penalty : {LengthPenalty::paper, LengthPenalty::power}) {
    Case c({.beam = 2, .alpha = 1.0f, .length_penalty = penalty}, 10);
    c.advance({{end_token, -0.5f}, {3, -3.0f}});
    // With power −3 / 11 is above −0.5 / 1; with the paper's −3 / (16 / 6) is not.
    EXPECT_EQ(c.beam.done(), penalty == LengthPenalty::paper);
  }
}

TEST(Beam, WithPowerAScoreIsTheMeanToThePowerOfAlpha) {
  Case c({.beam = 2, .alpha = 0.5f, .length_penalty = LengthPenalty::power}, 10);
  c.advance({{3, -1.0f}, {4, -50.0f}});
  c.advance({{3, -1.0f}, {4, -50.0f}, {3, -50.0f}, {4, -50.0f}});
  c.advance({{end_token, -1.0f}, {4, -50.0f}, {3, -50.0f}, {4, -50.0f}});
  const std::vector<Hypothesis> results = c.beam.take_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_DOUBLE_EQ(results[0].score, -3.0 / std::sqrt(3.0));
}

TEST(Beam, StopsWhenNothingBetterCanCome) {
  Case c({.beam = 2, .alpha = 1.0f}, 10);
  c.advance({{end_token, -0.1f}, {3, -3.0f}});
  EXPECT_EQ(c.beam.live(), 1);
  EXPECT_TRUE(c.beam.done());
}

TEST(Beam, WaitsForAsManyResultsAsAreWanted) {
  Case c({.beam = 2, .alpha = 1.0f, .n_best = 2}, 10);
  c.advance({{end_token, -0.1f}, {3, -3.0f}});
  EXPECT_FALSE(c.beam.done());
  c.advance({{end_token, -0.5f}, {4, -9.0f}});
  EXPECT_TRUE(c.beam.done());
  EXPECT_EQ(c.beam.take_results().size(), 2u);
}

TEST(Beam, OfEqualContinuationsTheEarlierHypothesisAndTheLowerTokenWin) {
  Case c({.beam = 3}, 10);
  c.advance({{5, -1.0f}, {6, -1.0f}, {9, -1.0f}});
  EXPECT_EQ(c.last_token(0), 5);
  EXPECT_EQ(c.last_token(1), 6);
  c.advance(
      {{8, -1.0f}, {9, -2.0f}, {10, -2.0f}, {4, -1.0f}, {7, -1.0f}, {11, -2.0f}, {3, -1.0f}, {5, -1.0f}, {6, -1.0f}});
  EXPECT_EQ(c.last_token(0), 8);
  EXPECT_EQ(c.last_token(1), 4);
  EXPECT_EQ(c.last_token(2), 7);
}

TEST(Beam, HypothesesShareThePastByRow) {
  Case c({.beam = 2}, 10);
  c.advance({{5, -1.0f}, {6, -2.0f}});
  c.advance({{7, -1.0f}, {8, -1.5f}, {9, -7.0f}, {10, -8.0f}});
  const auto first = c.beam.row(0).past;
  const auto second = c.beam.row(1).past;
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0], second[0]);
  EXPECT_EQ(first[1], second[1]);
  EXPECT_NE(first[2], second[2]);
}

TEST(Beam, EndsAtTheLimitAndSaysSo) {
  Case c({.beam = 2}, 1);
  c.advance({{5, -1.0f}, {6, -2.0f}});
  EXPECT_EQ(c.beam.rule(0, c.arena).forced, end_token);
  EXPECT_EQ(c.beam.rule(1, c.arena).forced, end_token);
  c.advance({{end_token, -9.0f}, {-1, 0.0f}, {end_token, -1.0f}, {-1, 0.0f}});
  EXPECT_TRUE(c.beam.done());
  const std::vector<Hypothesis> results = c.beam.take_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].tokens, std::vector<int>{6});
  EXPECT_FALSE(results[0].finished);
}

TEST(Beam, RefusesWhatIsNotANumber) {
  Case c({.beam = 1}, 5);
  EXPECT_THROW(c.advance({{-1, 0.0f}}), Error);
}

}  // namespace
}  // namespace heed
