// A reference-counted prefix tree of decoded positions: hypotheses share the rows of their common prefix.
//
// Sharing a row shares its keys and values in the KV cache. A row's reference count covers its children and holders; at
// zero the row is freed, and so are ancestors that nobody else needs.
#pragma once

#include <vector>

#include "decoding/row_pool.h"
#include "layers/step_row.h"

namespace heed {

class Lineage {
 public:
  Lineage(Index capacity, Arena& arena) : rows_(capacity, arena), nodes_(arena.array<Node>(capacity)) {}

  struct Node {
    int token = 0;                 // the decoder's input at this row
    float log_probability = 0.0f;  // of that token given those before it
    std::int32_t parent = no_row;
    std::int32_t users = 0;
    std::int32_t aligned = 0;  // the source piece that the row attends to most, if alignment is requested
    std::int32_t place = 0;    // the index of its hypothesis in the beam at that step, likewise
  };
  static constexpr Index row_bytes = RowPool::row_bytes + static_cast<Index>(sizeof(Node));
  Index capacity() const { return rows_.capacity(); }

  const Node& operator[](std::int32_t row) const { return nodes_[static_cast<std::size_t>(row)]; }
  void align(std::int32_t row, std::int32_t source, std::int32_t place) noexcept {
    node(row).aligned = source;
    node(row).place = place;
  }

  // A new row, held by the caller.
  std::int32_t add(std::int32_t parent, int token, float log_probability) noexcept {
    const std::int32_t row = rows_.take();
    node(row) = {token, log_probability, parent, 1, 0, 0};
    if (parent != no_row) hold(parent);
    return row;
  }
  void hold(std::int32_t row) noexcept { ++node(row).users; }
  void release(std::int32_t row) noexcept {
    while (row != no_row && --node(row).users == 0) {
      rows_.give_back(row);
      row = node(row).parent;
    }
  }

 private:
  Node& node(std::int32_t row) { return nodes_[static_cast<std::size_t>(row)]; }

  RowPool rows_;
  std::span<Node> nodes_;
};

}  // namespace heed
