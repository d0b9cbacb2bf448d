// Tasks of a thread pool that may throw: all are tried, and then the failure of the first of them in order is thrown.
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
