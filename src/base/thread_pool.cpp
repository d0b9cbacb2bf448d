#include "base/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>

#include <system_error>

#include "base/flush_denormals.h"
#include "heed/error.h"

namespace heed {
namespace {

// Long enough to bridge the serial gaps of a step, short enough that an idle pool costs next to nothing.
constexpr int spins_before_sleep = 20000;
// With more threads than cores, the awaited thread may not be running: yield the core to it.
constexpr int spins_before_yield = 2000;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  try {
    for (int worker = 1; worker < threads; ++worker) workers_.emplace_back([this, worker] { worker_loop(worker); });
  } catch (const std::system_error& error) {
    stop();
    throw Error(fmt::format("thread {} of {} cannot be started ({}); choose fewer threads", workers_.size() + 2,
                            threads, error.code().message()));
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
  stopping_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_job(const Job& job) {
  const FlushDenormals flush;
  if (workers_.empty() || job.tasks <= 1) {
    for (Index task = 0; task < job.tasks; ++task) job.call(job.work, task, 0);
    return;
  }
  job_ = job;
  next_task_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1);
  if (asleep_.load() > 0) generation_.notify_all();
  take_tasks(0);
  for (int spins = 0; busy_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < spins_before_yield) {
      pause_briefly();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::take_tasks(int worker) noexcept {
  while (true) {
    const Index task = next_task_.fetch_add(1, std::memory_order_relaxed);
    if (task >= job_.tasks) return;
    job_.call(job_.work, task, worker);
  }
}

void ThreadPool::worker_loop(int worker) noexcept {
  const FlushDenormals flush;
  std::uint32_t seen = 0;
  while (true) {
    for (int spins = 0; generation_.load(std::memory_order_acquire) == seen; ++spins) {
      if (spins < spins_before_sleep) {
        pause_briefly();
        if (spins % spins_before_yield == spins_before_yield - 1) std::this_thread::yield();
      } else {
        // Sequentially consistent on both sides: either the caller sees the sleeper, or wait() sees the new job.
        asleep_.fetch_add(1);
        generation_.wait(seen);
        asleep_.fetch_sub(1);
      }
    }
    ++seen;
    if (stopping_.load()) return;
    take_tasks(worker);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

}  // namespace heed
