#include "base/pages.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "heed/error.h"

namespace heed {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
// Vector loads at the end of a buffer may read past it.
constexpr std::size_t slack = 256;

}  // namespace

Pages::Pages(std::size_t bytes) {
  if (bytes == 0) return;
  bytes_ = (bytes + slack + large_page - 1) / large_page * large_page;
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error("out of memory: the system refused " + std::to_string(bytes_ >> 20) +
                " MiB; use a smaller model or batch, or raise 'ulimit -v'");
  }
  data_ = static_cast<std::byte*>(memory);
  madvise(memory, bytes_, MADV_HUGEPAGE);
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

std::size_t machine_memory() {
  std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit) bytes = std::min(bytes, limit);
  rlimit address_space{};
  // Under 'ulimit -v' address space is the scarce resource; leave half of it to everything else.
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::size_t>(bytes, address_space.rlim_cur / 2);
  }
  return bytes;
}

std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) << 10;
  }
  return 0;
}

}  // namespace heed
