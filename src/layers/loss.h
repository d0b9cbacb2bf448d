// Label-smoothed cross-entropy of the decoder's output: logits, loss and gradient a block of tokens at a time.
#pragma once

#include "layers/linear.h"

namespace heed {

// Logits of this many tokens exist at a time: enough rows for the products to run at full speed.
constexpr Index logits_at_a_time = 512;

struct Loss {
  double smoothed = 0.0;  // summed over target tokens: what training minimises
  double plain = 0.0;     // −Σ log p(token): for perplexity
  Index tokens = 0;

  Loss& operator+=(const Loss& other) {
    smoothed += other.smoothed;
    plain += other.plain;
    tokens += other.tokens;
    return *this;
  }
};

// Only the loss.
Loss loss(Matrix<const float> hidden, const Linear& output, std::span<const int> labels, float smoothing,
          const Workspace& workspace);
// The loss, dhidden (overwritten) and the gradient of the output layer (added to), for the sum over all tokens.
Loss loss_backward(Matrix<const float> hidden, const Linear& output, std::span<const int> labels, float smoothing,
                   const Linear& gradient, Matrix<float> dhidden, const Workspace& workspace);

}  // namespace heed
