// A progress bar with remaining time on standard error: redrawn in place on a terminal, else an occasional plain line.
#pragma once

#include <chrono>
#include <string>

#include "base/index.h"

namespace heed {

// Without a terminal, whether work that finishes within two seconds prints a final line.
enum class QuickWork { told, silent };

class Progress {
 public:
  // `what` labels the work; `total` is the number of steps, of which `begin` were done before.
  Progress(std::string what, Index total, Index begin = 0, QuickWork quick = QuickWork::told);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Clears the bar, so that later output starts on an empty line.
  ~Progress();

  // `detail` is shown after the bar: a loss, a speed.
  void show(Index done, const std::string& detail = {});
  // Prints a line of text above the bar.
  void print(const std::string& line);
  // Removes the bar.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  Index total_;
  Index begin_;
  QuickWork quick_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point last_shown_;
  bool shown_ = false;  // a bar is visible on the terminal
  bool finished_ = false;
  Index next_line_ = 0;  // step at which the next plain line is due
};

// "1:05" or "2:03:04".
std::string clock_time(double seconds);

}  // namespace heed
