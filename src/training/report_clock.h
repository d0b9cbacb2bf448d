// Decides when a run rewrites its report, and after how long a report counts as stale.
//
// Not thread-safe: one run, one clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace heed {

class ReportClock {
 public:
  // Once a minute, but using at most 2 % of the time: long logs take a while to render.
  bool is_due() const { return !written_ || seconds_since(*written_) >= std::max(60.0, 50.0 * seconds_to_write_); }

  // If the report has not been rewritten for this many seconds, the run has probably died; allows for long validations.
  double news_lasts() const { return std::max(600.0, 3.0 * longest_wait_); }

  // Calls write(), which writes the report, and times it.
  template <class Write>
  void write(const Write& write) {
    if (written_) longest_wait_ = std::max(longest_wait_, seconds_since(*written_));
    const Clock::time_point start = Clock::now();
    write();
    seconds_to_write_ = seconds_since(start);
    written_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::optional<Clock::time_point> written_;
  double seconds_to_write_ = 0.0;
  double longest_wait_ = 0.0;
};

}  // namespace heed
