#include "training/finite.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace heed {

bool all_finite(std::span<const float> values, const Workspace& workspace) {
  constexpr Index numbers_per_task = 1 << 16;
  const auto size = static_cast<Index>(values.size());
  std::atomic<bool> finite = true;
  workspace.threads.run(divide_up(size, numbers_per_task), [&](Index task, int) noexcept {
    const Index first = task * numbers_per_task;
    const Index count = std::min(numbers_per_task, size - first);
    bool all = true;
    for (const float value : values.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count))) {
      all &= std::isfinite(value);
    }
    if (!all) finite = false;
  });
  return finite;
}

}  // namespace heed
