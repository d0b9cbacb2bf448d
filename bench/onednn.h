// oneDNN's f32 product as a yardstick. The library is loaded on first use, so that heed runs without it.
#pragma once

#include <cstdint>
#include <string>

namespace heed::bench {

class OneDnn {
 public:
  // Caps oneDNN at heed's own instruction set. If the library is not installed, available() is false.
  OneDnn();

  bool available() const { return sgemm_ != nullptr; }
  std::string version() const;
  // Threads that the calling thread's products use.
  void set_threads(int threads) const;
  // Row-major C (m, n) = A · B (+ C if `add`), either factor transposed as stored.
  void multiply(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                std::int64_t a_stride, const float* b, std::int64_t b_stride, bool add, float* c,
                std::int64_t c_stride) const;

 private:
  void* sgemm_ = nullptr;
  void* version_ = nullptr;
  void* set_threads_ = nullptr;
};

}  // namespace heed::bench
