#include "cli/line_teller.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/say.h"
#include "cli/line_source.h"

namespace heed::cli {
namespace {

// The path of the input if it is a file read from its beginning, so that its lines can be counted; else empty.
std::string countable_input(const std::string& input) {
  if (input.empty() && lseek(STDIN_FILENO, 0, SEEK_CUR) != 0) return "";
  const std::filesystem::path path = input.empty() ? "/proc/self/fd/0" : input;
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? path.string() : "";
}

}  // namespace

LineTeller::LineTeller(const char* doing, const Files& files, bool quiet) : quiet_(quiet) {
  const bool shown = files.output.empty() && isatty(STDOUT_FILENO) != 0;
  const std::string file = quiet_ || shown ? "" : countable_input(files.input);
  if (!file.empty()) progress_.emplace(doing, count_lines(file), 0, QuickWork::silent);
}

void LineTeller::note(std::size_t line, const std::string& text) {
  if (quiet_) return;
  const std::string whole = fmt::format("heed: line {} {}", line + 1, text);
  if (progress_) return progress_->print(whole);
  say(whole);
}

}  // namespace heed::cli
