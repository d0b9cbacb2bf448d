// Layer normalisation of rows: y = (x − mean) / √(variance + ε) · gain + bias.
#pragma once

#include <span>

#include "tensor/matrix.h"

namespace heed::kernels {

struct NormStats {
  float mean;
  float inverse_deviation;  // 1 / √(variance + ε)
};

// stats holds one entry per row. y may be x.
void layer_norm(Matrix<const float> x, std::span<const float> gain, std::span<const float> bias, float epsilon,
                Matrix<float> y, std::span<NormStats> stats) noexcept;

// dx is overwritten and may be dy; dgain and dbias are added to, row by row in order.
void layer_norm_backward(Matrix<const float> dy, Matrix<const float> x, std::span<const NormStats> stats,
                         std::span<const float> gain, Matrix<float> dx, std::span<float> dgain,
                         std::span<float> dbias) noexcept;

}  // namespace heed::kernels
