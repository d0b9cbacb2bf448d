// The position-wise feed-forward network, f(x W1 + b1) W2 + b2 with f(x) = max(0, x) in the paper.
#pragma once

#include "kernels/elementwise.h"
#include "layers/linear.h"

namespace heed {

using kernels::Activation;

struct FeedForwardWeights {
  Linear inner;  // (d_ff, d_model)
  Linear outer;  // (d_model, d_ff)
};

struct FeedForwardTrace {
  Matrix<const float> x;
  Matrix<float> inner;  // x W1 + b1; for relu the same numbers as `activated`, whose signs are all that backward needs
  Matrix<float> activated;  // (tokens, d_ff)
};

void feed_forward(Matrix<const float> x, const FeedForwardWeights& weights, Activation activation, Matrix<float> out,
                  const Workspace& workspace, FeedForwardTrace* trace);
// dx = the gradient of x, or added to it, as `start` says.
void feed_forward_backward(Matrix<const float> dout, const FeedForwardWeights& weights, Activation activation,
                           const FeedForwardTrace& trace, const FeedForwardWeights& gradient, Matrix<float> dx,
                           kernels::Start start, const Workspace& workspace);

}  // namespace heed
