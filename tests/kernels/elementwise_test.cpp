#include "kernels/elementwise.h"

#include <numbers>

#include "kernels/numbers.h"

namespace heed::kernels {
namespace {

constexpr DropoutRate half{32768, 2.0f};

TEST(Dropout, DrawsTheMaskOfItsKeys) {
  for (const Index cols : {1, 7, 16, 31, 32, 33, 100, 512}) {
    const TestMatrix x(3, cols, 1);
    TestMatrix y(3, cols, 2);
    const std::vector<std::uint64_t> keys{11, 12, std::uint64_t{13} << 40};
    drop(x.view(), keys, half, y.view());
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < cols; ++j) {
        const bool keep =
            dropout_keeps(keys[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(j), half.threshold);
        EXPECT_EQ(y(i, j), keep ? 2.0f * x(i, j) : 0.0f) << cols << " " << i << " " << j;
      }
    }
    EXPECT_TRUE(y.edges_intact());
  }
}

TEST(Dropout, AddsToTheResidual) {
  const TestMatrix x(2, 45, 3);
  TestMatrix y(2, 45, 4);
  TestMatrix dropped(2, 45, 4);
  const std::vector<std::uint64_t> keys{1, 2};
  drop(y.view(), keys, half, dropped.view());
  add_dropped(x.view(), y.view(), keys, half, y.view());
  for (Index j = 0; j < 45; ++j) EXPECT_FLOAT_EQ(y(1, j), x(1, j) + dropped(1, j));
}

TEST(Dropout, RateZeroChangesNothing) {
  const TestMatrix x(2, 20, 5);
  TestMatrix y(2, 20, 6);
  drop(x.view(), {}, {}, y.view());
  EXPECT_EQ(flat(y.view()), flat(x.view()));
}

double slope(double (*f)(double), double x) { return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6; }
double relu(double x) { return std::max(x, 0.0); }
double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }
double gelu_tanh(double x) {
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double gelu_sigmoid(double x) { return x / (1.0 + std::exp(-1.702 * x)); }
double swish(double x) { return x / (1.0 + std::exp(-x)); }

constexpr std::pair<Activation, double (*)(double)> activations[] = {{Activation::relu, relu},
                                                                     {Activation::gelu, gelu},
                                                                     {Activation::swish, swish},
                                                                     {Activation::gelu_tanh, gelu_tanh},
                                                                     {Activation::gelu_sigmoid, gelu_sigmoid}};

// A row, and an incoming gradient.
struct Activated {
  Activated(Activation f, const TestMatrix& x)
      : y(1, x.view().cols, 1), dy(1, x.view().cols, 2), dx(1, x.view().cols, 3) {
    activate(f, x.view(), y.view());
    activate_backward(f, dy.view(), x.view(), dx.view());
  }

  TestMatrix y, dy, dx;
};

TEST(Activation, ValuesAndSlopesFollowTheirFormulas) {
  for (const auto& [activation, f] : activations) {
    TestMatrix x(1, 1001, 0);
    for (Index j = 0; j < 1001; ++j) x.view()(0, j) = 0.02f * static_cast<float>(j) - 10.003f;
    const Activated got(activation, x);
    for (Index j = 0; j < 1001; ++j) {
      const auto at = static_cast<double>(x(0, j));
      EXPECT_NEAR(static_cast<double>(got.y(0, j)), f(at), 1e-6 * std::max(1.0, std::abs(at)));
      EXPECT_NEAR(static_cast<double>(got.dx(0, j)), slope(f, at) * static_cast<double>(got.dy(0, j)), 2e-6);
    }
    EXPECT_TRUE(got.y.edges_intact());
    EXPECT_TRUE(got.dx.edges_intact());
  }
}

TEST(Activation, FarFromZeroItIsRelu) {
  for (const auto& [activation, f] : activations) {
    for (const float far : {50.0f, 90.0f, 110.0f, 1e3f, 1e6f, 1e12f, 1e20f, 1e38f}) {
      for (const float x : {far, -far}) {
        TestMatrix at(1, 5, 0);
        for (float& value : at.row(0)) value = x;
        const Activated got(activation, at);
        for (Index j = 0; j < 5; ++j) {
          EXPECT_NEAR(got.y(0, j), std::max(x, 0.0f), 1e-6f * far) << static_cast<int>(activation) << " " << x;
          EXPECT_NEAR(got.dx(0, j), x > 0.0f ? got.dy(0, j) : 0.0f, 1e-6f) << static_cast<int>(activation) << " " << x;
        }
      }
    }
  }
}

TEST(Activation, ARowOfAnyWidthHasTheSameNumbers) {
  for (const auto& [activation, f] : activations) {
    const TestMatrix wide(1, 70, 4);
    TestMatrix y(1, 70, 5);
    TestMatrix dx(1, 70, 6);
    activate(activation, wide.view(), y.view());
    activate_backward(activation, wide.view(), wide.view(), dx.view());
    for (const Index cols : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65}) {
      TestMatrix part(2, cols, 7);
      TestMatrix part_dx(2, cols, 8);
      for (Index i = 0; i < 2; ++i) {
        for (Index j = 0; j < cols; ++j) part.view()(i, j) = wide(0, j);
      }
      activate_backward(activation, part.view(), part.view(), part_dx.view());
      activate(activation, part.view(), part.view());
      for (Index i = 0; i < 2; ++i) {
        for (Index j = 0; j < cols; ++j) {
          EXPECT_EQ(part(i, j), y(0, j)) << static_cast<int>(activation) << " " << cols;
          EXPECT_EQ(part_dx(i, j), dx(0, j)) << static_cast<int>(activation) << " " << cols;
        }
      }
      EXPECT_TRUE(part.edges_intact());
      EXPECT_TRUE(part_dx.edges_intact());
    }
  }
}

TEST(ColumnSums, AddUpTheRows) {
  const TestMatrix x(50, 13, 7);
  std::vector<float> sums(13, 1.0f);
  add_column_sums(x.view(), sums);
  for (Index j = 0; j < 13; ++j) {
    double want = 1.0;
    for (Index i = 0; i < 50; ++i) want += static_cast<double>(x(i, j));
    EXPECT_NEAR(static_cast<double>(sums[static_cast<std::size_t>(j)]), want, 1e-5);
  }
}

TEST(ScaleAndAdd, WorksWithoutAnOffset) {
  TestMatrix x(1, 11, 8);
  TestMatrix offset(1, 11, 9);
  TestMatrix y(1, 11, 10);
  scale_and_add(x.row(0), 3.0f, {}, y.row(0));
  EXPECT_FLOAT_EQ(y(0, 10), 3.0f * x(0, 10));
  scale_and_add(x.row(0), 3.0f, offset.row(0), y.row(0));
  EXPECT_FLOAT_EQ(y(0, 10), 3.0f * x(0, 10) + offset(0, 10));
  EXPECT_TRUE(y.edges_intact());
}

}  // namespace
}  // namespace heed::kernels
