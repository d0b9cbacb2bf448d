// A progress bar with time left on standard error: redrawn in place on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "base/index.h"

namespace heed {

// Whether work that ends within two seconds has a line at its end where there is no terminal.
enum class QuickWork { told, silent };

class Progress {
 public:
  // `what` is what is being done; `total` how many steps of it there are; `begin` how many were done before.
  Progress(std::string what, Index total, Index begin = 0, QuickWork quick = QuickWork::told);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Whatever comes next has the line to itself.
  ~Progress();

  // `detail` stands behind the bar: a loss, a speed.
  void show(Index done, const std::string& detail = {});
  // Prints a line of text above the bar.
  void print(const std::string& line);
  // Takes the bar away.
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
  bool shown_ = false;  // a bar stands on the terminal
  bool finished_ = false;
  Index next_line_ = 0;  // where a plain line is due
};

// "1:05" or "2:03:04".
std::string clock_time(double seconds);

}  // namespace heed
