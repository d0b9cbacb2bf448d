// Runs thread pool tasks that may throw: all are run, then the exception of the first failed task in order is rethrown.
#pragma once

#include <exception>
#include <vector>

#include "base/thread_pool.h"

namespace heed {

template <class Work>
void run_throwing(ThreadPool& threads, Index tasks, const Work& work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(tasks));
  threads.run(tasks, [&](Index task, int) noexcept {
    try {
      work(task);
    } catch (...) {
      failures[static_cast<std::size_t>(task)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace heed
