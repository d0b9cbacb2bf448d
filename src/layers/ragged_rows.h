// The rows of all sentences of a batch, one after the other: linear layers see one matrix, attention a sentence at a
// time.
#pragma once

#include <span>

#include "tensor/matrix.h"

namespace heed {

constexpr int no_head = -1;

struct RaggedRows {
  Matrix<const float> rows;        // (tokens, width)
  std::span<const Index> offsets;  // sentence s has the rows [offsets[s], offsets[s + 1])
  // For each sentence a head of the layer whose output is 0 instead, or no_head; empty: none in any.
  std::span<const int> silenced = {};
};

}  // namespace heed
