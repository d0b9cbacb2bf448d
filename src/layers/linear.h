// A linear layer, y = x Wᵀ + b, and its gradients.
//
// The form of the weights selects the product: packed in f32, or panels of 8-bit integers, for inference only.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/gemm.h"
#include "kernels/int8.h"
#include "layers/workspace.h"
#include "tensor/matrix.h"

namespace heed {

struct Linear {
  Matrix<float> weight;                    // (out, in)
  Matrix<float> bias;                      // (1, out); empty: none
  const float* panels = nullptr;           // Wᵀ packed for forward, by pack_linear
  const float* backward_panels = nullptr;  // W packed for the gradient of x
  kernels::Int8Matrix int8;                // quantised W; `weight` is then a shape without data
};

// Floats that the panels of one direction take.
Index panels_size(const Linear& layer);
// Packs the current weights and points the layer at the panels; repeat after each change of the weights. `backward` may
// be null in inference.
void pack_linear(Linear& layer, float* forward, float* backward, const Workspace& workspace);

// y (rows, out) = x (rows, in) · Wᵀ + b
void linear(Matrix<const float> x, const Linear& layer, Matrix<float> y, const Workspace& workspace);

// The rows of x in the form that the weights need.
struct LinearInput {
  Matrix<const float> x;
  kernels::Int8Rows int8;
};
// Takes what it needs from the arena.
LinearInput prepare_input(Matrix<const float> x, const Linear& layer, const Workspace& workspace);
// y = the outputs of rows [row, row + y.rows) and columns [col, col + y.cols), on the calling thread; col is a multiple
// of 32.
void linear_part(const LinearInput& input, const Linear& layer, Index row, Index col, Matrix<float> y) noexcept;

// Some outputs of a layer as a layer of their own: each has the bits that it has in the whole one.
class LinearSubset {
 public:
  // Of a packed or quantised layer; the memory of the previous choice is used again.
  void choose(const Linear& whole, std::span<const int> outputs);
  const Linear& layer() const { return layer_; }

 private:
  std::vector<std::byte> memory_;  // grows to the largest choice
  Linear layer_;
};

// Where the gradient of an input goes: it overwrites what is there or is added to it.
struct Into {
  Matrix<float> matrix;
  kernels::Start start;
};

// dx = dy · W; dW += dyᵀ · x; db += the sum of the rows of dy.
void linear_backward(Matrix<const float> dy, Matrix<const float> x, const Linear& layer, const Linear& gradient,
                     Into dx, const Workspace& workspace);

}  // namespace heed
