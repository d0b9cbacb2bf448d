// No allocation in a training step: every way to get memory is replaced by one that counts.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>

#include "model/cases.h"
#include "training/trainer.h"

namespace {

std::atomic<long> allocations{0};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {
// glibc's own names stay reachable while the public ones are replaced, so that counting needs no memory itself.
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
namespace {

TEST(Allocations, TheCounterCounts) {
  const long before = allocations;
  // Through pointers that the compiler cannot see through, or it would leave the pair out.
  void* (*volatile get)(std::size_t) = ::operator new;
  void (*volatile give_back)(void*) = ::operator delete;
  give_back(get(100));
  void* aligned = nullptr;
  ASSERT_EQ(posix_memalign(&aligned, 64, 64), 0);
  free(aligned);
  const Pages pages(4096);
  EXPECT_EQ(allocations - before, 3);
}

TEST(Allocations, NoneInATrainingStepAfterTheSecond) {
  Config config = preset("tiny");
  config.source_vocab = config.target_vocab = 500;
  config.encoder_layers = config.decoder_layers = 2;
  Trainer trainer(config, {.clip = 1.0}, 2);
  const BatchBuilder a = make_batch(config, {{30, 25}, {70, 65}});
  const BatchBuilder b = make_batch(config, {{10, 12}, {80, 90}, {1, 1}});
  const Batch batches[] = {a.batch(), b.batch()};
  const Batch turned[] = {b.batch(), a.batch()};
  trainer.update(batches);
  trainer.update(batches);
  const long before = allocations;
  trainer.update(batches);
  trainer.update(turned);
  trainer.update(batches);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace heed
