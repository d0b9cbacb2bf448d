#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

namespace heed {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (const Index tasks : {Index{0}, Index{1}, Index{2}, Index{1000}}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      pool.run(tasks, [&](Index task, int) noexcept { ++runs[static_cast<std::size_t>(task)]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, SeesWhatEarlierLoopsWrote) {
  ThreadPool pool(3);
  std::vector<Index> values(100, 0);
  for (int round = 0; round < 2000; ++round) {
    pool.run(100, [&](Index task, int) noexcept { values[static_cast<std::size_t>(99 - task)] += 1; });
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), Index{0}), 200000);
}

TEST(ThreadPool, WorkerNumbersAreItsOwn) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash{false};
  pool.run(500, [&](Index, int worker) noexcept {
    if (inside[static_cast<std::size_t>(worker)].fetch_add(1) != 0) clash = true;
    inside[static_cast<std::size_t>(worker)].fetch_sub(1);
  });
  EXPECT_FALSE(clash);
}

TEST(ThreadPool, WakesWorkersThatFellAsleep) {
  ThreadPool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> count{0};
    pool.run(10, [&](Index, int) noexcept { ++count; });
    EXPECT_EQ(count, 10);
  }
}

TEST(ThreadPool, FlushesDenormalsOnEveryThread) {
  ThreadPool pool(2);
  std::atomic<int> kept{0};
  volatile float small = 1e-30f;
  pool.run(64, [&](Index, int) noexcept {
    const float product = small * small * 1e20f;
    if (small * 1e-10f != 0.0f || product != 0.0f) ++kept;
  });
  EXPECT_EQ(kept, 0);
  EXPECT_NE(small * 1e-10f, 0.0f) << "the caller's floating-point mode must be restored";
}

TEST(AvailableCores, IsAtLeastOne) { EXPECT_GE(available_cores(), 1); }

}  // namespace
}  // namespace heed
