// A sequence of random choices, determined by a key.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace heed::synthetic {

class Draws {
 public:
  explicit Draws(std::uint64_t key) : key_(key) {}

  std::uint64_t below(std::uint64_t bound) { return uniform_below(key_, counter_++, bound); }
  int between(int lowest, int highest) {
    return lowest + static_cast<int>(below(static_cast<std::uint64_t>(highest - lowest) + 1));
  }
  bool chance(double probability) { return uniform(key_, counter_++) < probability; }

  template <class T>
  const T& pick(std::span<const T> items) {
    assert(!items.empty());
    return items[below(items.size())];
  }
  // One of the fitting items, with equal probability; null if there is none.
  template <class T, class Fits>
  const T* pick_if(std::span<const T> items, Fits fits) {
    std::vector<const T*> fitting;
    for (const T& item : items) {
      if (fits(item)) fitting.push_back(&item);
    }
    return fitting.empty() ? nullptr : fitting[below(fitting.size())];
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace heed::synthetic
