// A linear layer, y = x Wᵀ + b, and its gradients.
#pragma once

#include "kernels/gemm.h"
#include "layers/workspace.h"
#include "tensor/matrix.h"

namespace heed {

struct Linear {
  Matrix<float> weight;                    // (out, in)
  Matrix<float> bias;                      // (1, out); empty: none
  const float* panels = nullptr;           // Wᵀ packed for forward, by pack_linear
  const float* backward_panels = nullptr;  // W packed for the gradient of x
};

// Numbers that the panels of one direction take.
Index panels_size(const Linear& layer);
// Packs the weights as they stand and points the layer at the panels; repeat it after each change of the weights.
// `backward` may be null in inference.
void pack_linear(Linear& layer, float* forward, float* backward, const Workspace& workspace);

// y (rows, out) = x (rows, in) · Wᵀ + b
void linear(Matrix<const float> x, const Linear& layer, Matrix<float> y, const Workspace& workspace);

// dx = dy · W, starting from zero or added to what is there; dW += dyᵀ · x; db += the sum of the rows of dy.
void linear_backward(Matrix<const float> dy, Matrix<const float> x, const Linear& layer, const Linear& gradient,
                     Matrix<float> dx, kernels::Start start, const Workspace& workspace);

}  // namespace heed
