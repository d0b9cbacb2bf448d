// The position-wise feed-forward network, f(x W1 + b1) W2 + b2 with f(x) = max(0, x) in the paper.
#pragma once

#include "base/enum_names.h"
#include "kernels/elementwise.h"
#include "layers/linear.h"

namespace heed {

using kernels::Activation;
template <>
struct EnumNames<Activation> {
  static constexpr std::array names{"relu", "gelu", "swish", "gelu-tanh", "gelu-sigmoid"};
};

struct FeedForward {
  Activation activation = Activation::relu;
  Linear inner;  // (d_ff, d_model)
  Linear outer;  // (d_model, d_ff)
};

struct FeedForwardTrace {
  Matrix<const float> x;
  Matrix<float> inner;  // x W1 + b1; for relu the same numbers as `activated`, whose signs are all that backward needs
  Matrix<float> activated;  // (tokens, d_ff)
};

void feed_forward(Matrix<const float> x, const FeedForward& weights, Matrix<float> out, const Workspace& workspace,
                  FeedForwardTrace* trace);
void feed_forward_backward(Matrix<const float> dout, const FeedForward& weights, const FeedForwardTrace& trace,
                           const FeedForward& gradient, Into dx, const Workspace& workspace);

}  // namespace heed
