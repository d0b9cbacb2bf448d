#include "kernels/layer_norm.h"

#include "kernels/numbers.h"
#include "reference/tape.h"

namespace heed::kernels {
namespace {

std::vector<double> doubles(Matrix<const float> m) {
  const std::vector<float> values = flat(m);
  return {values.begin(), values.end()};
}

class LayerNormWithEpsilon : public testing::TestWithParam<float> {};

TEST_P(LayerNormWithEpsilon, ForwardAndBackwardEqualTheReference) {
  const float epsilon = GetParam();
  for (const Index cols : {1, 2, 7, 8, 9, 31, 512, 513}) {
    TestMatrix x(5, cols, 1);
    TestMatrix gain(1, cols, 2);
    TestMatrix bias(1, cols, 3);
    TestMatrix dy(5, cols, 4);
    TestMatrix y(5, cols, 5);
    TestMatrix dx(5, cols, 6);
    std::vector<NormStats> stats(5);
    std::vector<float> dgain(static_cast<std::size_t>(cols), 0.0f);
    std::vector<float> dbias(static_cast<std::size_t>(cols), 0.0f);
    layer_norm(x.view(), gain.row(0), bias.row(0), epsilon, y.view(), stats);
    layer_norm_backward(dy.view(), x.view(), stats, gain.row(0), dx.view(), dgain, dbias);

    reference::Tape tape;
    const int n = static_cast<int>(cols);
    const reference::Var rx = tape.leaf(5, n, doubles(x.view()));
    const reference::Var rgain = tape.leaf(1, n, doubles(gain.view()));
    const reference::Var rbias = tape.leaf(1, n, doubles(bias.view()));
    const reference::Var ry = reference::layer_norm(tape, rx, rgain, rbias, static_cast<double>(epsilon));
    ry->grad = doubles(dy.view());
    ry->backward();
    EXPECT_LE(relative_error(flat(y.view()), ry->value), 1e-5) << cols;
    // One channel is always at its mean and two are always ±1: the true gradient is almost zero.
    if (cols > 2) {
      EXPECT_LE(relative_error(flat(dx.view()), rx->grad), 1e-5) << cols;
    }
    for (std::size_t i = 0; i < rx->grad.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(flat(dx.view())[i]), rx->grad[i], 1e-5) << cols;
    }
    EXPECT_LE(relative_error(dgain, rgain->grad), 1e-5) << cols;
    EXPECT_LE(relative_error(dbias, rbias->grad), 1e-5) << cols;
    EXPECT_TRUE(y.edges_intact());
    EXPECT_TRUE(dx.edges_intact());
  }
}

INSTANTIATE_TEST_SUITE_P(LayerNorm, LayerNormWithEpsilon, testing::Values(1e-6f, 1e-5f, 1e-3f, 0.1f));

TEST(LayerNorm, SurvivesARowWithoutVariance) {
  TestMatrix x(1, 10, 1);
  for (Index j = 0; j < 10; ++j) x.view()(0, j) = 3.0f;
  TestMatrix gain(1, 10, 2);
  TestMatrix bias(1, 10, 3);
  TestMatrix y(1, 10, 4);
  std::vector<NormStats> stats(1);
  layer_norm(x.view(), gain.row(0), bias.row(0), 1e-6f, y.view(), stats);
  for (Index j = 0; j < 10; ++j) EXPECT_NEAR(y(0, j), bias(0, j), 1e-3);
}

}  // namespace
}  // namespace heed::kernels
