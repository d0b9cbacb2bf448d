// The scan of a simpler simple recurrent unit (SSRU) along one sentence:
//   f_t = σ(g_t + b), c_t = f_t ∘ c_{t−1} + (1 − f_t) ∘ x̃_t, h_t = max(0, c_t); before the first position c is 0.
//
// Matrices have a row for each position. Channels are independent: however a caller splits them, the bits are the same.
#pragma once

#include <span>

#include "tensor/matrix.h"

namespace heed::kernels {

enum class Direction { forwards, backwards };  // in time: which end of the sentence is the first position

// gate holds g and is replaced by f; state gets c and out h.
void ssru(Matrix<const float> candidate, Matrix<float> gate, std::span<const float> bias, Direction direction,
          Matrix<float> state, Matrix<float> out) noexcept;

// dcandidate and dgate are the gradients of x̃ and g; the sum of dgate's rows is that of b.
void ssru_backward(Matrix<const float> dout, Matrix<const float> candidate, Matrix<const float> gate,
                   Matrix<const float> state, Direction direction, Matrix<float> dcandidate,
                   Matrix<float> dgate) noexcept;

// One position, with the bits of the scan: reads the state before it, null for zeros, and writes the one after it.
// `gate` holds g and is not changed.
void ssru_step(std::span<const float> candidate, const float* gate, std::span<const float> bias, const float* before,
               float* after, float* out) noexcept;

}  // namespace heed::kernels
