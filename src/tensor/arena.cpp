#include "tensor/arena.h"

#include <algorithm>
#include <limits>
#include <string>

#include "heed/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace heed {
namespace {

constexpr std::size_t alignment = 64;
// A poisoned gap after each piece lets AddressSanitizer see a kernel that runs past its end.
constexpr std::size_t gap = 64;
// AddressSanitizer's shadow memory covers everything handed out, used or not.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t largest = std::size_t{1} << 30;
#else
constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
#endif

}  // namespace

Arena::Arena() : Arena(machine_memory()) {}

Arena::Arena(std::size_t bytes) : pages_(std::min(bytes, largest)) {}

Arena::~Arena() { ASAN_UNPOISON_MEMORY_REGION(pages_.data(), peak_); }

void* Arena::take(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > pages_.size() || used_ + rounded + gap > pages_.size()) {
    throw Error("out of memory: a step needs more than the " + std::to_string(pages_.size() >> 20) +
                " MiB that it may use; use smaller batches, fewer threads or a smaller model");
  }
  std::byte* piece = pages_.data() + used_;
  ASAN_UNPOISON_MEMORY_REGION(piece, bytes);
  ASAN_POISON_MEMORY_REGION(piece + bytes, rounded + gap - bytes);
  used_ += rounded + gap;
  peak_ = std::max(peak_, used_);
  return piece;
}

void Arena::release(std::size_t mark) {
  ASAN_POISON_MEMORY_REGION(pages_.data() + mark, used_ - mark);
  used_ = mark;
}

}  // namespace heed
