// Owns zeroed memory mapped directly from the system, in huge pages if available.
//
// Only touched pages use physical memory, so a buffer may be reserved larger than needed. Throws Error if the system
// refuses the address space.
#pragma once

#include <cstddef>
#include <utility>

namespace heed {

class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  float* floats() const { return reinterpret_cast<float*>(data_); }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// The memory that this process may use, and its peak use so far, in bytes.
std::size_t machine_memory();
std::size_t peak_memory();

}  // namespace heed
