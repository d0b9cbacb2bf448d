// Counts of n-grams, and numbers for words so that n-grams are short.
//
// One object serves a line and its references: counts are comparable within it only. Not for several threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/index.h"

namespace heed::metrics {

// Gives equal words equal numbers. The words must outlive it.
class WordNumbers {
 public:
  std::vector<std::uint32_t> number(std::span<const std::u32string_view> words);

 private:
  std::unordered_map<std::u32string_view, std::uint32_t> numbers_;
};

class NgramCounter {
 public:
  explicit NgramCounter(int max_order) : max_order_(max_order) {}

  // How often each n-gram of the orders 1 … max_order occurs, by a number that this object gives it; an n-gram beyond
  // the end of an earlier count occurs there zero times.
  std::vector<Index> count(std::span<const std::uint32_t> tokens);

  // For each order, how many n-grams two counts have in common.
  std::vector<Index> matches(std::span<const Index> a, std::span<const Index> b) const;

 private:
  int max_order_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      numbers_;              // by the number of the n-gram without its end, and its end
  std::vector<int> orders_;  // by number
};

// How many n-grams of an order a line of so many tokens has.
constexpr Index ngrams_in(Index tokens, int order) { return tokens >= order ? tokens - order + 1 : 0; }

}  // namespace heed::metrics
