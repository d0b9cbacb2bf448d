// The optimiser's pass over a range of the flat parameter buffer.
#pragma once

#include <span>

namespace heed::kernels {

// One update's constants: with g the scaled gradient,
//   θ −= decay · θ,   m = β1 m + (1 − β1) g,   v = β2 v + (1 − β2) g²,   θ −= rate · m / (√v · root_correction + ε)
// Without decay the first step is skipped, so that the bits are those of plain Adam.
struct AdamStep {
  float beta1;
  float beta2;
  float epsilon;
  float gradient_scale;   // 1 / tokens of the update, times the clipping factor
  float rate;             // learning rate / (1 − β1^t)
  float root_correction;  // 1 / √(1 − β2^t)
  float decay = 0.0f;     // learning rate · weight decay
};

// Updates parameters and moments and leaves the gradient zero for the next update.
void adam(const AdamStep& step, std::span<float> parameters, std::span<float> gradient, std::span<float> first_moment,
          std::span<float> second_moment) noexcept;

double sum_of_squares(std::span<const float> values) noexcept;

}  // namespace heed::kernels
