#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heed {
namespace {

constexpr Index bar_width = 14;
constexpr const char* clear_to_end = "\033[K";
constexpr Index plain_lines = 10;
constexpr double seconds_between_redraws = 0.1;
constexpr double seconds_between_lines = 2.0;

std::string bar(Index done, Index total) {
  const Index filled = done * bar_width / total;
  std::string text;
  for (Index i = 0; i < bar_width; ++i) text += i < filled ? "█" : "░";
  return text;
}

// Columns available before a line wraps; after wrapping, '\r' would no longer return to its beginning.
std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1u : 79u;
}

// Truncates UTF-8 text to `width` characters.
void cut_to(std::string& line, std::size_t width) {
  for (std::size_t i = 0, characters = 0; i < line.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    if (begins && ++characters > width) return line.resize(i);
  }
}

double seconds(std::chrono::steady_clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

Progress::Progress(std::string what, Index total, Index begin, QuickWork quick)
    : what_(std::move(what)),
      total_(std::max<Index>(total, 1)),
      begin_(begin),
      quick_(quick),
      terminal_(isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_shown_(terminal_ ? Clock::time_point() : start_) {}

Progress::~Progress() { clear(); }

void Progress::show(Index done, const std::string& detail) {
  const Clock::time_point now = Clock::now();
  const bool finished = done >= total_;
  if (finished_) return;
  const bool soon = seconds(now - last_shown_) < (terminal_ ? seconds_between_redraws : seconds_between_lines);
  if (!finished && (soon || (!terminal_ && done < next_line_))) return;
  finished_ = finished;
  const bool quick = seconds(now - start_) < seconds_between_lines;
  if (finished && quick && quick_ == QuickWork::silent && !terminal_) return;
  last_shown_ = now;
  next_line_ = done + std::max<Index>(1, total_ / plain_lines);

  const double elapsed = seconds(now - start_);
  std::string line = fmt::format("{} {}{} %", what_, terminal_ ? bar(done, total_) + " " : "", 100 * done / total_);
  if (finished) {
    line += fmt::format("  {} total", clock_time(elapsed));
  } else if (done > begin_) {
    const double rest = static_cast<double>(total_ - done) / static_cast<double>(done - begin_);
    line += fmt::format("  {} left", clock_time(elapsed * rest));
  }
  if (!detail.empty()) line += "  " + detail;
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  cut_to(line, terminal_width());
  std::fprintf(stderr, "\r%s%s%s", line.c_str(), clear_to_end, finished ? "\n" : "");
  std::fflush(stderr);
  shown_ = !finished;
}

void Progress::print(const std::string& line) {
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void Progress::clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r%s", clear_to_end);
  shown_ = false;
  last_shown_ = {};
}

std::string clock_time(double seconds_) {
  const auto whole = static_cast<Index>(std::lround(seconds_));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace heed
