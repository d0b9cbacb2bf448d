#include "kernels/loss.h"

#include "kernels/numbers.h"
#include "reference/tape.h"

namespace heed::kernels {
namespace {

TEST(CrossEntropy, ValueAndGradientEqualTheReference) {
  for (const Index vocabulary : {1, 2, 7, 8, 9, 1000, 8002}) {
    for (const float smoothing : {0.0f, 0.1f, 0.2f}) {
      TestMatrix logits(1, vocabulary, 1);
      const int label = static_cast<int>(vocabulary / 2);
      const std::vector<float> values = flat(logits.view());
      reference::Tape tape;
      const reference::Var rlogits = tape.leaf(1, static_cast<int>(vocabulary), {values.begin(), values.end()});
      double plain = 0.0;
      tape.backward(reference::cross_entropy(tape, rlogits, {label}, static_cast<double>(smoothing), plain));

      const TokenLoss alone = cross_entropy(logits.row(0), label, smoothing);
      const TokenLoss loss = cross_entropy_backward(logits.row(0), label, smoothing);
      EXPECT_EQ(alone.smoothed, loss.smoothed);
      EXPECT_NEAR(loss.plain, plain, 1e-5);
      EXPECT_LE(relative_error(flat(logits.view()), rlogits->grad), vocabulary == 1 ? 1e-7 : 1e-5) << vocabulary;
      EXPECT_TRUE(logits.edges_intact());
    }
  }
}

TEST(CrossEntropy, HugeLogitsStayFinite) {
  std::vector<float> logits{1e4f, -1e4f, 0.0f};
  const TokenLoss loss = cross_entropy_backward(logits, 1, 0.1f);
  EXPECT_NEAR(loss.plain, 2e4, 1.0);
  for (const float g : logits) EXPECT_TRUE(std::isfinite(g));
}

TEST(CrossEntropy, ProbabilitiesAreExactDownToTheSmallest) {
  for (double x = 0.0; x > -87.2; x -= 0.0137) {
    std::vector<float> logits{0.0f, static_cast<float>(x)};
    const double e = std::exp(static_cast<double>(logits[1]));
    cross_entropy_backward(logits, 0, 0.0f);
    EXPECT_NEAR(static_cast<double>(logits[1]) / (e / (1.0 + e)), 1.0, 1e-6) << x;
  }
}

TEST(CrossEntropy, WhatIsTooSmallForAFloatIsZero) {
  std::vector<float> logits{0.0f, -88.0f, -1e30f, -std::numeric_limits<float>::infinity()};
  cross_entropy_backward(logits, 0, 0.0f);
  for (std::size_t i = 1; i < logits.size(); ++i) EXPECT_EQ(logits[i], 0.0f) << i;
}

TEST(LogSumExp, OfALogitThatIsNoNumberIsNone) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (std::size_t place = 0; place < 40; ++place) {
      std::vector<float> logits(40, 1.0f);
      logits[place] = bad;
      EXPECT_TRUE(std::isnan(log_sum_exp(logits).value())) << place;
    }
  }
}

}  // namespace
}  // namespace heed::kernels
