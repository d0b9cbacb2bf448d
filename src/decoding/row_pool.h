// A LIFO free list of row indices: the row freed last is reused first, so the rows in use stay few and close together.
#pragma once

#include <cassert>
#include <cstdint>

#include "tensor/arena.h"

namespace heed {

class RowPool {
 public:
  RowPool(Index capacity, Arena& arena) : free_(arena.array<std::int32_t>(capacity)) {}

  static constexpr Index row_bytes = sizeof(std::int32_t);
  Index capacity() const { return static_cast<Index>(free_.size()); }

  std::int32_t take() noexcept {
    if (free_count_ > 0) return free_[static_cast<std::size_t>(--free_count_)];
    assert(unused_ < capacity());
    return static_cast<std::int32_t>(unused_++);
  }
  void give_back(std::int32_t row) noexcept { free_[static_cast<std::size_t>(free_count_++)] = row; }

 private:
  std::span<std::int32_t> free_;
  Index free_count_ = 0;
  Index unused_ = 0;  // rows from here on have never been taken
};

}  // namespace heed
