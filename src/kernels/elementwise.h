// Elementwise work on rows: residual sums, dropout, activations; also column sums.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/matrix.h"

namespace heed::kernels {

// gelu: x · Φ(x), by the error function; gelu_tanh: its usual approximation; gelu_sigmoid: x · σ(1.702 x); swish:
// x · σ(x).
enum class Activation { relu, gelu, swish, gelu_tanh, gelu_sigmoid };

// `threshold` is the rate in units of 2^-16 (see dropout_keeps); `scale` compensates for what is dropped.
struct DropoutRate {
  std::uint32_t threshold = 0;
  float scale = 1.0f;
};

// out = x + y; out may be either of them.
void add(Matrix<const float> x, Matrix<const float> y, Matrix<float> out) noexcept;
// out = x + dropout(y), with one key per row.
void add_dropped(Matrix<const float> x, Matrix<const float> y, std::span<const std::uint64_t> keys, DropoutRate rate,
                 Matrix<float> out) noexcept;
// out = dropout(x); out may be x.
void drop(Matrix<const float> x, std::span<const std::uint64_t> keys, DropoutRate rate, Matrix<float> out) noexcept;

// y = f(x); y may be x.
void activate(Activation f, Matrix<const float> x, Matrix<float> y) noexcept;
// dx = dy · f'(x). For relu any x with the right signs will do, such as the output. dx may be dy.
void activate_backward(Activation f, Matrix<const float> dy, Matrix<const float> x, Matrix<float> dx) noexcept;

// to += factor · from
void add_scaled(std::span<const float> from, float factor, std::span<float> to) noexcept;
// out = factor · from + plus; `plus` may be empty
void scale_and_add(std::span<const float> from, float factor, std::span<const float> plus,
                   std::span<float> out) noexcept;
// sums += the sum of the rows, added in order
void add_column_sums(Matrix<const float> x, std::span<float> sums) noexcept;

}  // namespace heed::kernels
