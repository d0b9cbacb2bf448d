// Label-smoothed cross-entropy of one row of logits. Probabilities are never stored: the gradient takes their place.
#pragma once

#include <limits>
#include <span>

namespace heed::kernels {

struct TokenLoss {
  double smoothed;  // against (1 − ε) · onehot + ε / V
  double plain;     // −log p(label)
};

// Leaves the logits alone.
TokenLoss cross_entropy(std::span<const float> logits, int label, float smoothing) noexcept;
// Replaces the logits by the gradient of the smoothed loss: softmax(logits) − (1 − ε) · onehot − ε / V.
TokenLoss cross_entropy_backward(std::span<float> logits, int label, float smoothing) noexcept;

// log Σ e^logit, which turns logits into log-probabilities, of a row that comes in parts.
struct LogSum {
  float maximum = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;    // Σ e^(logit − maximum)
  float plain = 0.0f;  // Σ logit, which tells whether all are finite

  // Merges the sums of another part of the row.
  void add(const LogSum& other) noexcept;
  // NaN when a logit is not finite.
  float value() const noexcept;
};
LogSum log_sum_exp(std::span<const float> logits) noexcept;

}  // namespace heed::kernels
