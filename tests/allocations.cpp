#include "allocations.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>

#include "base/pages.h"

namespace {

std::atomic<long> allocations{0};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {
// glibc's internal names remain available when the public ones are replaced, so that counting does not allocate itself.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) noexcept {
  ++allocations;
  static const auto original = next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
  return original(address, length, protection, flags, file, offset);
}
}

namespace heed {

long allocation_count() { return allocations; }

namespace {

TEST(Allocations, TheCounterCounts) {
  const long before = allocation_count();
  // Through volatile pointers, or the compiler would optimise the pair away.
  void* (*volatile get)(std::size_t) = ::operator new;
  void (*volatile give_back)(void*) = ::operator delete;
  give_back(get(100));
  void* aligned = nullptr;
  ASSERT_EQ(posix_memalign(&aligned, 64, 64), 0);
  free(aligned);
  const Pages pages(4096);
  EXPECT_EQ(allocation_count() - before, 3);
}

}  // namespace
}  // namespace heed
