#include "base/random.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Random, UniformFillsTheInterval) {
  double sum = 0.0;
  double least = 1.0;
  double most = 0.0;
  constexpr int draws = 100000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const double u = uniform(42, i);
    sum += u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_NEAR(sum / draws, 0.5, 0.005);
  EXPECT_GE(least, 0.0);
  EXPECT_LT(least, 1e-3);
  EXPECT_LT(most, 1.0);
  EXPECT_GT(most, 1.0 - 1e-3);
}

TEST(Random, NormalHasMeanZeroAndDeviationOne) {
  double sum = 0.0;
  double squares = 0.0;
  constexpr int draws = 100000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const double x = normal(7, i);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / draws, 0.0, 0.02);
  EXPECT_NEAR(squares / draws, 1.0, 0.02);
}

TEST(Random, KeysThatDifferInOneBitShareNothing) {
  int equal_bits = 0;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    equal_bits += 64 - __builtin_popcountll(scramble(5) ^ scramble(5 ^ (std::uint64_t{1} << bit)));
  }
  EXPECT_NEAR(equal_bits / 64.0, 32.0, 4.0);
}

TEST(Random, DropoutDropsItsShareAtEveryChannelAndRow) {
  constexpr std::uint32_t threshold = 6554;  // 0.1
  constexpr int rows = 4000;
  constexpr int channels = 96;
  int by_channel[channels] = {};
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      by_channel[channel] += dropout_keeps(random_key(3, row), channel, threshold) ? 0 : 1;
    }
  }
  for (const int dropped : by_channel) EXPECT_NEAR(dropped / static_cast<double>(rows), 0.1, 0.03);
}

TEST(Random, NeighbouringChannelsAndRowsDropIndependently) {
  constexpr std::uint32_t threshold = 32768;  // 0.5
  int same_channel_pairs = 0;
  int same_row_pairs = 0;
  constexpr int draws = 20000;
  for (std::uint64_t row = 0; row < draws; ++row) {
    const bool here = dropout_keeps(random_key(9, row), 4, threshold);
    same_channel_pairs += here == dropout_keeps(random_key(9, row), 5, threshold) ? 1 : 0;
    same_row_pairs += here == dropout_keeps(random_key(9, row + 1), 4, threshold) ? 1 : 0;
  }
  EXPECT_NEAR(same_channel_pairs / static_cast<double>(draws), 0.5, 0.02);
  EXPECT_NEAR(same_row_pairs / static_cast<double>(draws), 0.5, 0.02);
}

}  // namespace
}  // namespace heed
