// Reference-counted rows for the recurrent states of hypotheses: a child reads its parent's row and writes its own, so
// hypotheses fork without a copy. A pool without rows hands out no_row, which every call accepts.
#pragma once

#include "decoding/row_pool.h"
#include "layers/step_row.h"

namespace heed {

class StatePool {
 public:
  StatePool(Index capacity, Arena& arena) : rows_(capacity, arena), users_(arena.array<std::int32_t>(capacity)) {}

  static constexpr Index row_bytes = RowPool::row_bytes + static_cast<Index>(sizeof(std::int32_t));
  Index capacity() const { return rows_.capacity(); }

  // A row held by the caller.
  std::int32_t take() noexcept {
    if (capacity() == 0) return no_row;
    const std::int32_t row = rows_.take();
    users_[static_cast<std::size_t>(row)] = 1;
    return row;
  }
  void hold(std::int32_t row) noexcept {
    if (row != no_row) ++users_[static_cast<std::size_t>(row)];
  }
  void release(std::int32_t row) noexcept {
    if (row != no_row && --users_[static_cast<std::size_t>(row)] == 0) rows_.give_back(row);
  }

 private:
  RowPool rows_;
  std::span<std::int32_t> users_;
};

}  // namespace heed
