// A thread pool for the short parallel loops of a training or decoding step.
//
// run() may be called from one thread at a time. The caller works too, so a pool of one thread starts none. Tasks must
// depend only on the shape of the work, so that results do not depend on the number of threads.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/index.h"

namespace heed {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(task, worker) once for each task in [0, tasks) and returns when all are done. `worker` is in
  // [0, threads()) and identifies one thread during the call. `work` must not throw.
  template <class Work>
  void run(Index tasks, const Work& work) {
    static_assert(std::is_nothrow_invocable_v<const Work&, Index, int>, "mark the task noexcept");
    run_job(
        {&work,
         [](const void* work_, Index task, int worker) noexcept { (*static_cast<const Work*>(work_))(task, worker); },
         tasks});
  }

 private:
  struct Job {
    const void* work = nullptr;
    void (*call)(const void* work, Index task, int worker) noexcept = nullptr;
    Index tasks = 0;
  };

  void run_job(const Job& job);
  void take_tasks(int worker) noexcept;
  void worker_loop(int worker) noexcept;
  void stop() noexcept;

  // Each on its own cache line, to avoid false sharing.
  alignas(64) std::atomic<std::uint32_t> generation_{0};  // counts the jobs; workers wait for it to change
  alignas(64) std::atomic<Index> next_task_{0};
  alignas(64) std::atomic<int> busy_{0};  // workers that have not finished the job
  alignas(64) std::atomic<int> asleep_{0};
  std::atomic<bool> stopping_{false};
  Job job_;
  std::vector<std::thread> workers_;
};

// The number of cores that this process may use, which a container or taskset may limit.
int available_cores();

}  // namespace heed
