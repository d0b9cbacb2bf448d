#include "metrics/ngrams.h"

#include <algorithm>

namespace heed::metrics {

std::vector<std::uint32_t> WordNumbers::number(std::span<const std::u32string_view> words) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(words.size());
  for (const std::u32string_view word : words) {
    numbers.push_back(numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second);
  }
  return numbers;
}

std::vector<Index> NgramCounter::count(std::span<const std::uint32_t> tokens) {
  std::vector<Index> counts(orders_.size(), 0);
  numbers_.reserve(numbers_.size() + tokens.size() * static_cast<std::size_t>(max_order_));
  for (std::size_t begin = 0; begin < tokens.size(); ++begin) {
    const std::size_t longest = std::min(tokens.size() - begin, static_cast<std::size_t>(max_order_));
    std::uint64_t prefix = 0;  // no n-gram's number plus one
    for (std::size_t i = 0; i < longest; ++i) {
      const std::uint64_t key = prefix << 32 | tokens[begin + i];
      const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(orders_.size()));
      if (is_new) {
        orders_.push_back(static_cast<int>(i));
        counts.push_back(0);
      }
      ++counts[entry->second];
      prefix = std::uint64_t{entry->second} + 1;
    }
  }
  return counts;
}

std::vector<Index> NgramCounter::matches(std::span<const Index> a, std::span<const Index> b) const {
  std::vector<Index> matches(static_cast<std::size_t>(max_order_), 0);
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t n = 0; n < shared; ++n) matches[static_cast<std::size_t>(orders_[n])] += std::min(a[n], b[n]);
  return matches;
}

}  // namespace heed::metrics
