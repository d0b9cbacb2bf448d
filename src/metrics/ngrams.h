// N-gram counts over words mapped to numbers.
//
// One object serves a line and its references: counts are comparable only within it. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/index.h"

namespace heed::metrics {

// Maps equal words to equal numbers. The words must outlive it.
class WordNumbers {
 public:
  std::vector<std::uint32_t> number(std::span<const std::u32string_view> words);

 private:
  std::unordered_map<std::u32string_view, std::uint32_t> numbers_;
};

class NgramCounter {
 public:
  explicit NgramCounter(int max_order) : max_order_(max_order) {}

  // The counts of all n-grams of orders 1 … max_order, indexed by a number assigned by this object. N-grams past the
  // end of an earlier result have a count of zero there.
  std::vector<Index> count(std::span<const std::uint32_t> tokens);

  // The number of n-grams that two counts have in common, per order.
  std::vector<Index> matches(std::span<const Index> a, std::span<const Index> b) const;

 private:
  int max_order_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      numbers_;              // key: number of the n-gram without its last token, and that token
  std::vector<int> orders_;  // by number
};

// The number of n-grams of an order in a line of `tokens` tokens.
constexpr Index ngrams_in(Index tokens, int order) { return tokens >= order ? tokens - order + 1 : 0; }

}  // namespace heed::metrics
