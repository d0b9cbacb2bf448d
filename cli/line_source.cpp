#include "cli/line_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "data/lines.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;
// Lines that trickle in are passed on after at most this time, to bound the latency.
constexpr auto patience = std::chrono::milliseconds(20);
constexpr std::size_t block_size = std::size_t{1} << 16;
constexpr std::size_t largest_line = std::size_t{64} << 20;

class FileLines : public LineSource {
 public:
  explicit FileLines(const fs::path& path) : reader_(path) {}

  bool next(Index most, std::vector<std::string>& lines) override {
    lines.clear();
    std::string line;
    while (static_cast<Index>(lines.size()) < most && reader_.next(line)) lines.push_back(line);
    return !lines.empty();
  }

 private:
  LineReader reader_;
};

// A pipe or a terminal.
class StreamLines : public LineSource {
 public:
  StreamLines(int file, std::string name) : file_(file), name_(std::move(name)) {}
  StreamLines(const StreamLines&) = delete;
  StreamLines& operator=(const StreamLines&) = delete;
  ~StreamLines() override { close(file_); }

  bool next(Index most, std::vector<std::string>& lines) override {
    lines.clear();
    Clock::time_point patience_ends;
    while (static_cast<Index>(lines.size()) < most) {
      if (take_line(lines)) {
        if (lines.size() == 1) patience_ends = Clock::now() + patience;
        continue;
      }
      if (buffer_.size() - position_ > largest_line) {
        throw Error(
            fmt::format("{}: a line has more than {} MiB; check that this is a text file", name_, largest_line >> 20));
      }
      if (ended_ || (!lines.empty() && !more_comes_before(patience_ends))) break;
      refill();
    }
    return !lines.empty();
  }

 private:
  bool take_line(std::vector<std::string>& lines) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end == std::string::npos && !(ended_ && position_ < buffer_.size())) {
      searched_ = buffer_.size();
      return false;
    }
    lines.push_back(buffer_.substr(position_, end == std::string::npos ? end : end - position_));
    position_ = searched_ = end == std::string::npos ? buffer_.size() : end + 1;
    return true;
  }

  // Polls once even if the time is over.
  bool more_comes_before(Clock::time_point end) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{file_, POLLIN, 0};
    return poll(&waiting, 1, static_cast<int>(std::max<Index>(left, 0))) != 0;
  }

  void refill() {
    buffer_.erase(0, position_);
    searched_ -= position_;
    position_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + block_size);
    ssize_t got = -1;
    do {
      got = read(file_, buffer_.data() + before, block_size);
    } while (got < 0 && errno == EINTR);
    const int reason = errno;
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0)
      throw Error(fmt::format("{}: cannot read ({}); check the program that writes it", name_, std::strerror(reason)));
    ended_ = got == 0;
  }

  int file_;
  std::string name_;
  std::string buffer_;
  std::size_t position_ = 0;  // start of the next line
  std::size_t searched_ = 0;  // no line ends between position_ and this
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<LineSource> open_lines(const fs::path& path) {
  if (path.empty()) return std::make_unique<StreamLines>(dup(STDIN_FILENO), "standard input");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_fifo(status) && !fs::is_character_file(status)) return std::make_unique<FileLines>(path);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw Error(fmt::format("'{}': cannot read ({}); check the permissions", path.string(), std::strerror(errno)));
  return std::make_unique<StreamLines>(file, path.string());
}

Index count_lines(const fs::path& path) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
  }
  return reader.line_number();
}

}  // namespace heed::cli
