// A view of a row-major matrix: it owns nothing and is passed by value.
//
// Rows are `stride` elements apart; stride ≥ cols. A Matrix<float> converts to a Matrix<const float>.
#pragma once

#include <cassert>
#include <span>
#include <type_traits>

#include "base/index.h"

namespace heed {

template <class T>
struct Matrix {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;

  Matrix() = default;
  Matrix(T* data_, Index rows_, Index cols_) : Matrix(data_, rows_, cols_, cols_) {}
  Matrix(T* data_, Index rows_, Index cols_, Index stride_) : data(data_), rows(rows_), cols(cols_), stride(stride_) {}
  template <class U>
  requires(std::is_same_v<T, const U>) Matrix(const Matrix<U>& m)
      : Matrix(m.data, m.rows, m.cols, m.stride) {}  // NOLINT: as T* converts to const T*

  bool empty() const { return data == nullptr || rows == 0 || cols == 0; }
  T* row(Index i) const {
    assert(i >= 0 && i < rows);
    return data + i * stride;
  }
  T& operator()(Index i, Index j) const {
    assert(j >= 0 && j < cols);
    return row(i)[j];
  }
  std::span<T> row_span(Index i) const { return {row(i), static_cast<std::size_t>(cols)}; }

  Matrix rows_from(Index first, Index count) const {
    assert(first >= 0 && count >= 0 && first + count <= rows);
    return {data + first * stride, count, cols, stride};
  }
  Matrix cols_from(Index first, Index count) const {
    assert(first >= 0 && count >= 0 && first + count <= cols);
    return {data + first, rows, count, stride};
  }
};

}  // namespace heed
