// Timing helpers of the benches.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace heed::bench {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = seconds_now();
  work();
  return seconds_now() - start;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace heed::bench
