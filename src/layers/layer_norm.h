// Layer normalisation over the rows of a matrix, on all threads.
#pragma once

#include "kernels/layer_norm.h"
#include "layers/workspace.h"

namespace heed {

struct LayerNorm {
  Matrix<float> gain;  // (1, d_model)
  Matrix<float> bias;  // (1, d_model)
  float epsilon = 1e-6f;
};

// stats keeps what backward needs; y may be x.
void layer_norm(Matrix<const float> x, const LayerNorm& norm, Matrix<float> y, std::span<kernels::NormStats> stats,
                const Workspace& workspace);

// dx is overwritten and may be dy; the gradients of gain and bias are added to.
void layer_norm_backward(Matrix<const float> dy, Matrix<const float> x, std::span<const kernels::NormStats> stats,
                         const LayerNorm& norm, const LayerNorm& gradient, Matrix<float> dx,
                         const Workspace& workspace);

}  // namespace heed
