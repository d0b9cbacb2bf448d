#include "kernels/adam.h"

#include "kernels/numbers.h"

namespace heed::kernels {
namespace {

TEST(Adam, EqualsTheScalarFormulaAndClearsTheGradient) {
  constexpr Index count = 101;
  TestMatrix p(1, count, 1);
  TestMatrix g(1, count, 2);
  TestMatrix m(1, count, 3);
  TestMatrix v(1, count, 4);
  for (float& x : v.row(0)) x = std::abs(x);
  const TestMatrix p0 = p;
  const TestMatrix g0 = g;
  const TestMatrix m0 = m;
  const TestMatrix v0 = v;
  const AdamStep step{
      .beta1 = 0.9f, .beta2 = 0.98f, .epsilon = 1e-9f, .gradient_scale = 0.5f, .rate = 0.01f, .root_correction = 1.7f};
  adam(step, p.row(0), g.row(0), m.row(0), v.row(0));
  for (Index i = 0; i < count; ++i) {
    const double gradient = 0.5 * static_cast<double>(g0(0, i));
    const double first = 0.9 * static_cast<double>(m0(0, i)) + 0.1 * gradient;
    const double second = 0.98 * static_cast<double>(v0(0, i)) + 0.02 * gradient * gradient;
    EXPECT_NEAR(static_cast<double>(m(0, i)), first, 1e-6);
    EXPECT_NEAR(static_cast<double>(v(0, i)), second, 1e-6);
    EXPECT_NEAR(static_cast<double>(p(0, i)),
                static_cast<double>(p0(0, i)) - 0.01 * first / (std::sqrt(second) * 1.7 + 1e-9), 1e-6);
    EXPECT_EQ(g(0, i), 0.0f);
  }
  for (const TestMatrix* t : {&p, &g, &m, &v}) EXPECT_TRUE(t->edges_intact());
}

TEST(Adam, DecayShrinksTheWeightsBesideTheStep) {
  constexpr Index count = 101;
  TestMatrix p(1, count, 1);
  TestMatrix g(1, count, 2);
  TestMatrix m(1, count, 3);
  TestMatrix v(1, count, 4);
  for (float& x : v.row(0)) x = std::abs(x);
  const TestMatrix p0 = p;
  const TestMatrix g0 = g;
  const TestMatrix m0 = m;
  const TestMatrix v0 = v;
  const AdamStep step{.beta1 = 0.8f,
                      .beta2 = 0.95f,
                      .epsilon = 1e-6f,
                      .gradient_scale = 0.5f,
                      .rate = 0.01f,
                      .root_correction = 1.7f,
                      .decay = 0.125f};
  adam(step, p.row(0), g.row(0), m.row(0), v.row(0));
  for (Index i = 0; i < count; ++i) {
    const double gradient = 0.5 * static_cast<double>(g0(0, i));
    const double first = 0.8 * static_cast<double>(m0(0, i)) + 0.2 * gradient;
    const double second = 0.95 * static_cast<double>(v0(0, i)) + 0.05 * gradient * gradient;
    const double before = static_cast<double>(p0(0, i));
    EXPECT_NEAR(static_cast<double>(p(0, i)), before - 0.125 * before - 0.01 * first / (std::sqrt(second) * 1.7 + 1e-6),
                1e-6);
  }
}

TEST(SumOfSquares, EqualsTheDoubleSum) {
  for (const Index count : {0, 1, 7, 1024, 5003}) {
    TestMatrix x(1, count, 5);
    double want = 0.0;
    for (const float value : x.row(0)) want += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_NEAR(sum_of_squares(x.row(0)), want, 1e-6 * want);
  }
}

}  // namespace
}  // namespace heed::kernels
