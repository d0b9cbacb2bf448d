#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heed {
namespace {

constexpr Index bar_width = 30;
constexpr Index plain_lines = 10;
constexpr double seconds_between_redraws = 0.1;
constexpr double seconds_between_lines = 2.0;

std::string bar(Index done, Index total) {
  const Index filled = done * bar_width / total;
  std::string text;
  for (Index i = 0; i < bar_width; ++i) text += i < filled ? "█" : "░";
  return text;
}

double seconds(std::chrono::steady_clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

Progress::Progress(std::string what, Index total, Index begin)
    : what_(std::move(what)),
      total_(std::max<Index>(total, 1)),
      begin_(begin),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_shown_(terminal_ ? Clock::time_point() : start_) {}

void Progress::show(Index done, const std::string& detail) {
  const Clock::time_point now = Clock::now();
  const bool finished = done >= total_;
  if (finished_) return;
  const bool soon = seconds(now - last_shown_) < (terminal_ ? seconds_between_redraws : seconds_between_lines);
  if (!finished && (soon || (!terminal_ && done < next_line_))) return;
  finished_ = finished;
  last_shown_ = now;
  next_line_ = done + std::max<Index>(1, total_ / plain_lines);

  const double elapsed = seconds(now - start_);
  const double left =
      done <= begin_ ? 0.0 : elapsed * static_cast<double>(total_ - done) / static_cast<double>(done - begin_);
  const std::string time = finished ? clock_time(elapsed) + " in all" : clock_time(left) + " left";
  std::string line = fmt::format("{} {}{} %  {}{}{}", what_, terminal_ ? bar(done, total_) + " " : "",
                                 100 * done / total_, time, detail.empty() ? "" : "  ", detail);
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  const std::size_t width = line.size();
  if (width < last_width_) line.append(last_width_ - width, ' ');
  last_width_ = width;
  std::fprintf(stderr, "\r%s%s", line.c_str(), finished ? "\n" : "");
  std::fflush(stderr);
}

void Progress::print(const std::string& line) {
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void Progress::clear() {
  if (terminal_) std::fprintf(stderr, "\r%*s\r", static_cast<int>(last_width_), "");
  last_width_ = 0;
  last_shown_ = {};
}

std::string clock_time(double seconds_) {
  const auto whole = static_cast<Index>(std::lround(seconds_));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace heed
