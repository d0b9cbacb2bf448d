#include "kernels/ssru.h"

#include <algorithm>
#include <limits>

#include "kernels/numbers.h"

namespace heed::kernels {
namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// One sentence: the kernel's inputs and outputs, and the gradients of Σ dout ∘ h.
struct SsruCase {
  SsruCase(Index rows, Index cols, Direction way)
      : direction(way),
        candidate(rows, cols, 1),
        gate(rows, cols, 2),
        bias(1, cols, 3),
        dout(rows, cols, 4),
        forget(gate),
        state(rows, cols, 5),
        out(rows, cols, 6),
        dcandidate(rows, cols, 7),
        dgate(rows, cols, 8) {
    ssru(candidate.view(), forget.view(), bias.row(0), direction, state.view(), out.view());
    ssru_backward(dout.view(), candidate.view(), forget.view(), state.view(), direction, dcandidate.view(),
                  dgate.view());
  }

  Index row(Index i) const { return direction == Direction::forwards ? i : candidate.view().rows - 1 - i; }

  // h of a channel in double, in the order of the scan, with one number of x̃ or g shifted.
  std::vector<double> truth(Index channel, Index shifted = -1, double by_candidate = 0.0, double by_gate = 0.0) const {
    std::vector<double> h;
    double c = 0.0;
    for (Index i = 0; i < candidate.view().rows; ++i) {
      const auto at = [&](const TestMatrix& m, double by) {
        return static_cast<double>(m(row(i), channel)) + (i == shifted ? by : 0.0);
      };
      const double f = sigmoid(at(gate, by_gate) + static_cast<double>(bias(0, channel)));
      c = f * c + (1.0 - f) * at(candidate, by_candidate);
      h.push_back(std::max(0.0, c));
    }
    return h;
  }

  double loss(Index channel, Index shifted, double by_candidate, double by_gate) const {
    const std::vector<double> h = truth(channel, shifted, by_candidate, by_gate);
    double sum = 0.0;
    for (std::size_t i = 0; i < h.size(); ++i) {
      sum += h[i] * static_cast<double>(dout(row(static_cast<Index>(i)), channel));
    }
    return sum;
  }

  Direction direction;
  TestMatrix candidate, gate, bias, dout, forget, state, out, dcandidate, dgate;
};

constexpr Direction both[] = {Direction::forwards, Direction::backwards};

TEST(Ssru, FollowsItsFormula) {
  for (const Direction direction : both) {
    for (const Index rows : {1, 2, 63, 64, 65, 130}) {
      for (const Index cols : {1, 3, 8, 17, 64}) {
        const SsruCase c(rows, cols, direction);
        for (Index j = 0; j < cols; ++j) {
          const std::vector<double> want = c.truth(j);
          for (Index i = 0; i < rows; ++i) {
            EXPECT_NEAR(static_cast<double>(c.out(c.row(i), j)), want[static_cast<std::size_t>(i)], 1e-6);
          }
        }
        for (const TestMatrix* m : {&c.forget, &c.state, &c.out, &c.dcandidate, &c.dgate}) {
          EXPECT_TRUE(m->edges_intact()) << rows << " × " << cols;
        }
      }
    }
  }
}

TEST(Ssru, GradientsAreTheDifferencesOfItsFormula) {
  constexpr double step = 1e-6;
  for (const Direction direction : both) {
    const SsruCase c(9, 19, direction);
    for (Index j = 0; j < 19; ++j) {
      for (Index i = 0; i < 9; ++i) {
        const double candidate = (c.loss(j, i, step, 0.0) - c.loss(j, i, -step, 0.0)) / (2.0 * step);
        const double gate = (c.loss(j, i, 0.0, step) - c.loss(j, i, 0.0, -step)) / (2.0 * step);
        EXPECT_NEAR(static_cast<double>(c.dcandidate(c.row(i), j)), candidate, 2e-6) << i << " " << j;
        EXPECT_NEAR(static_cast<double>(c.dgate(c.row(i), j)), gate, 2e-6) << i << " " << j;
      }
    }
  }
}

TEST(Ssru, OneTokenForgetsNothingButItself) {
  const SsruCase c(1, 37, Direction::backwards);
  for (Index j = 0; j < 37; ++j) {
    const double f = sigmoid(static_cast<double>(c.gate(0, j) + c.bias(0, j)));
    const double want = std::max(0.0, (1.0 - f) * static_cast<double>(c.candidate(0, j)));
    EXPECT_NEAR(static_cast<double>(c.out(0, j)), want, 1e-6);
  }
}

TEST(Ssru, BackwardsIsForwardsOnTheSentenceTurnedAround) {
  const SsruCase c(11, 20, Direction::backwards);
  TestMatrix candidate(11, 20, 0);
  TestMatrix gate(11, 20, 0);
  for (Index i = 0; i < 11; ++i) {
    std::copy_n(c.candidate.view().row(10 - i), 20, candidate.row(i).data());
    std::copy_n(c.gate.view().row(10 - i), 20, gate.row(i).data());
  }
  TestMatrix state(11, 20, 0);
  TestMatrix out(11, 20, 0);
  TestMatrix bias = c.bias;
  ssru(candidate.view(), gate.view(), bias.row(0), Direction::forwards, state.view(), out.view());
  for (Index i = 0; i < 11; ++i) {
    for (Index j = 0; j < 20; ++j) EXPECT_EQ(out(i, j), c.out(10 - i, j));
  }
}

TEST(Ssru, AnyCutOfTheChannelsHasTheSameBits) {
  const SsruCase whole(20, 45, Direction::forwards);
  TestMatrix forget = whole.gate;
  TestMatrix state(20, 45, 0);
  TestMatrix out(20, 45, 0);
  TestMatrix bias = whole.bias;
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 7}, {7, 32}, {39, 6}}) {
    ssru(whole.candidate.view().cols_from(first, count), forget.view().cols_from(first, count),
         bias.view().cols_from(first, count).row_span(0), Direction::forwards, state.view().cols_from(first, count),
         out.view().cols_from(first, count));
  }
  EXPECT_EQ(flat(out.view()), flat(whole.out.view()));
  EXPECT_EQ(flat(state.view()), flat(whole.state.view()));
}

TEST(Ssru, StepsHaveTheBitsOfTheScan) {
  const SsruCase c(20, 45, Direction::forwards);
  TestMatrix bias = c.bias;
  TestMatrix state(20, 45, 0);
  TestMatrix out(1, 45, 0);
  for (Index i = 0; i < 20; ++i) {
    ssru_step(c.candidate.view().row_span(i), c.gate.view().row(i), bias.row(0),
              i == 0 ? nullptr : state.view().row(i - 1), state.view().row(i), out.view().row(0));
    for (Index j = 0; j < 45; ++j) {
      EXPECT_EQ(out(0, j), c.out(i, j));
      EXPECT_EQ(state(i, j), c.state(i, j));
    }
  }
  EXPECT_TRUE(state.edges_intact());
}

TEST(Ssru, WhatIsNotANumberIsPassedOn) {
  TestMatrix candidate(3, 5, 1);
  candidate.view()(0, 2) = std::numeric_limits<float>::quiet_NaN();
  TestMatrix gate(3, 5, 2);
  TestMatrix bias(1, 5, 3);
  TestMatrix state(3, 5, 4);
  TestMatrix out(3, 5, 5);
  ssru(candidate.view(), gate.view(), bias.row(0), Direction::forwards, state.view(), out.view());
  EXPECT_TRUE(std::isnan(out(2, 2)));
  EXPECT_TRUE(std::isfinite(out(2, 1)));
}

}  // namespace
}  // namespace heed::kernels
