// Owns zeroed memory taken straight from the system, in large pages where it grants them.
//
// Only pages that are touched count against the machine's memory, so a buffer may be reserved larger than it will be
// used. Throws Error when the address space is refused.
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

// What this process may use of the machine's memory, and the most it has used so far, in bytes.
std::size_t machine_memory();
std::size_t peak_memory();

}  // namespace heed
