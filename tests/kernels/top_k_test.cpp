#include "kernels/top_k.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/numbers.h"

namespace heed::kernels {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<int> top(std::vector<float> logits, std::size_t count) {
  std::vector<Candidate> best(count, no_candidate);
  top_k(logits, 0, -infinity, best);
  std::vector<int> tokens;
  for (const Candidate& c : best) {
    tokens.push_back(c.token);
    EXPECT_TRUE(c.token < 0 || c.logit == logits[static_cast<std::size_t>(c.token)]);
  }
  return tokens;
}

TEST(TopK, EqualsAStableSort) {
  for (const std::size_t size : {1, 2, 7, 8, 9, 31, 64, 65, 1000}) {
    for (const std::size_t count : {1, 2, 4, 7, 21, 200}) {
      if (count > size) continue;
      std::vector<float> logits;
      // Few different values, so that there are many ties.
      for (std::size_t i = 0; i < size; ++i) logits.push_back(static_cast<float>(uniform_below(5, i, size)));
      std::vector<int> order(size);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
      });
      order.resize(count);
      EXPECT_EQ(top(logits, count), order) << size << ", " << count;
    }
  }
}

TEST(TopK, ARowInPartsGivesTheSame) {
  std::vector<float> logits;
  for (std::size_t i = 0; i < 300; ++i) logits.push_back(static_cast<float>(uniform_below(6, i, 100)));
  for (const std::size_t part : {1, 7, 16, 128, 299}) {
    std::vector<Candidate> best(9, no_candidate);
    for (std::size_t first = 0; first < logits.size(); first += part) {
      const auto some = std::span(logits).subspan(first, std::min(part, logits.size() - first));
      top_k(some, static_cast<int>(first), -infinity, best);
    }
    std::vector<int> tokens;
    for (const Candidate& c : best) tokens.push_back(c.token);
    EXPECT_EQ(tokens, top(logits, 9)) << part;
  }
}

TEST(TopK, WhatIsBelowTheLeastIsLeftOutAndWhatEqualsItIsNot) {
  const std::vector<float> logits{0.0f, -1.0f, 3.0f, -0.5f, 2.0f, 0.0f};
  for (const float least : {0.0f, 2.0f, 3.0f}) {
    std::vector<Candidate> best(6, no_candidate);
    top_k(logits, 0, least, best);
    const auto above = std::count_if(logits.begin(), logits.end(), [&](float logit) { return logit >= least; });
    EXPECT_EQ(std::count_if(best.begin(), best.end(), [](const Candidate& c) { return c.token >= 0; }), above) << least;
  }
}

TEST(TopK, NeverChoosesNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(top({nan, 1.0f, nan, -2.0f}, 3), (std::vector<int>{1, 3, -1}));
  EXPECT_EQ(top({nan, nan}, 1), (std::vector<int>{-1}));
  EXPECT_EQ(top({-infinity, 3.0f}, 2), (std::vector<int>{1, -1}));
}

}  // namespace
}  // namespace heed::kernels
