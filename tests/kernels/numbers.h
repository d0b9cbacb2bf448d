// Test data: reproducible numbers of ordinary size, and the error measure of the whole suite.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "base/random.h"
#include "tensor/matrix.h"

namespace heed {

// A matrix with its own stride, surrounded by numbers that must not change.
class TestMatrix {
 public:
  TestMatrix(Index rows, Index cols, std::uint64_t seed, Index extra_stride = 3)
      : stride_(cols + extra_stride),
        rows_(rows),
        cols_(cols),
        values_(static_cast<std::size_t>((rows + 1) * stride_ + 64)) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<float>(2.0 * uniform(seed, i) - 1.0);
    before_ = values_;
  }

  Matrix<float> view() { return {values_.data(), rows_, cols_, stride_}; }
  Matrix<const float> view() const { return {values_.data(), rows_, cols_, stride_}; }
  float operator()(Index i, Index j) const { return values_[static_cast<std::size_t>(i * stride_ + j)]; }
  std::span<float> row(Index i) { return view().row_span(i); }

  // Whether everything outside the matrix is untouched.
  bool edges_intact() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const bool inside = static_cast<Index>(i) % stride_ < cols_ && static_cast<Index>(i) / stride_ < rows_;
      if (!inside && values_[i] != before_[i]) return false;
    }
    return true;
  }

 private:
  Index stride_, rows_, cols_;
  std::vector<float> values_, before_;
};

// ‖a − b‖ / ‖b‖, or ‖a‖ where b is zero.
template <class A, class B>
double relative_error(const A& a, const B& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    size += std::pow(static_cast<double>(b[i]), 2);
  }
  return size < 1e-24 ? std::sqrt(difference) : std::sqrt(difference / size);
}

inline std::vector<float> flat(Matrix<const float> m) {
  std::vector<float> values;
  for (Index i = 0; i < m.rows; ++i) values.insert(values.end(), m.row(i), m.row(i) + m.cols);
  return values;
}

}  // namespace heed
