// What a pass through the layers works with: threads, scratch memory and, for the benches, the time spent in each
// phase.
#pragma once

#include <array>
#include <chrono>

#include "base/thread_pool.h"
#include "tensor/arena.h"

namespace heed {

enum class Phase {
  embedding,
  linear_forward,
  linear_backward,
  attention_forward,
  attention_backward,
  residual,
  activation,
  loss,
  optimiser,
  packing
};
constexpr std::array phase_names{"embedding",          "linear_forward", "linear_backward", "attention_forward",
                                 "attention_backward", "residual",       "activation",      "loss",
                                 "optimiser",          "packing"};
using PhaseSeconds = std::array<double, phase_names.size()>;

struct Workspace {
  ThreadPool& threads;
  Arena& arena;
  PhaseSeconds* phases = nullptr;  // null: phases are not timed
};

// RAII timer: adds its lifetime to a phase.
class PhaseTimer {
 public:
  PhaseTimer(const Workspace& workspace, Phase phase)
      : seconds_(workspace.phases == nullptr ? nullptr : &(*workspace.phases)[static_cast<std::size_t>(phase)]) {
    if (seconds_ != nullptr) start_ = std::chrono::steady_clock::now();
  }
  ~PhaseTimer() {
    if (seconds_ == nullptr) return;
    *seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point start_;
};

// Rows per task in row-wise work; also the block size of partial sums over rows.
constexpr Index rows_per_task = 64;

// Calls body(first row, count) for blocks of rows, on all threads.
template <class Body>
void for_row_blocks(const Workspace& workspace, Index rows, const Body& body) {
  workspace.threads.run(divide_up(rows, rows_per_task), [&](Index block, int) noexcept {
    const Index first = block * rows_per_task;
    body(first, std::min(rows_per_task, rows - first));
  });
}

}  // namespace heed
