// A bump allocator for the scratch memory of one step: taken piece by piece, released all at once.
//
// The arena reserves address space for all of the machine's memory, and the system maps pages when they are first
// touched. So no batch has to be measured beforehand, nothing is allocated in a step, and the second step of a size
// reuses the pages of the first. Memory is not cleared. Not thread-safe: layers take what they need before they start
// threads.
#pragma once

#include <span>
#include <type_traits>

#include "base/pages.h"
#include "tensor/matrix.h"

namespace heed {

class Arena {
 public:
  // Address space for all of the machine's memory, or for this many bytes.
  Arena();
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Rows are padded to an odd number of cache lines: rows at equal distances modulo 4 KiB would compete for the same
  // cache sets, and the product kernels read six of them side by side.
  static constexpr Index row_stride(Index cols) { return round_up(cols, 32) + 16; }
  Matrix<float> matrix(Index rows, Index cols) {
    return {floats(rows * row_stride(cols) + panel_overrun).data(), rows, cols, row_stride(cols)};
  }
  std::span<float> floats(Index count) { return array<float>(count); }
  // Runs no constructor or destructor: for types that need neither.
  template <class T>
  std::span<T> array(Index count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(take(static_cast<std::size_t>(count) * sizeof(T))), static_cast<std::size_t>(count)};
  }

  std::size_t size() const { return pages_.size(); }
  std::size_t used() const { return used_; }
  std::size_t peak() const { return peak_; }

  // RAII: releases what was taken during its lifetime.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), mark_(arena.used_) {}
    ~Scope() { arena_.release(mark_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena& arena_;
    std::size_t mark_;
  };

 private:
  // The product kernels read whole panels of up to 32 columns, even from a slice that ends with the last row.
  static constexpr Index panel_overrun = 16;

  void* take(std::size_t bytes);
  void release(std::size_t mark);

  Pages pages_;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace heed
