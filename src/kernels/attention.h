// Scaled dot-product attention of one head over one sentence: softmax(Q Kᵀ / √d_k + M) V, where M is 0
// where Reach lets a query see a key, and −∞ elsewhere.
//
// Online softmax over tiles of keys: the n × n matrix of scores never exists, and memory is linear in length. The whole
// head belongs to one thread, and every sum has a fixed order.
#pragma once

#include <limits>
#include <span>

#include "tensor/matrix.h"

namespace heed::kernels {

// The keys that a query sees: query i sees keys i − back … i + ahead. The first `globals` keys are seen by all queries,
// and as queries they see all keys; with ahead 0 no query sees a key after its own position, globals included. Unless
// every query sees every key, there are as many queries as keys. Tiles of keys that no query of a tile sees are
// skipped.
struct Reach {
  static constexpr Index all = std::numeric_limits<Index>::max();
  Index ahead = all;
  Index back = all;
  Index globals = 0;
};

// Floats of scratch that a thread needs for heads of these sizes.
Index attention_scratch(Index d_k) noexcept;
Index attention_backward_scratch(Index d_k, Index d_v) noexcept;

// context (queries, d_v) is overwritten; log_sum gets the logarithm of each query's softmax denominator, for backward.
void attend(Matrix<const float> query, Matrix<const float> key, Matrix<const float> value, Reach reach,
            Matrix<float> context, std::span<float> log_sum, float* scratch) noexcept;

// Inputs and results of the forward pass, and where its gradients go (all overwritten).
struct AttendBackward {
  Matrix<const float> query, key, value, context, dcontext;
  std::span<const float> log_sum;
  Matrix<float> dquery, dkey, dvalue;
};
void attend_backward(const AttendBackward& head, Reach reach, float* scratch) noexcept;

}  // namespace heed::kernels
