// Lines of a file or of standard input, handed over in groups.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/index.h"

namespace heed::cli {

// Where lines come from. A line ends at \n and nowhere else; a last line without \n counts.
class LineSource {
 public:
  virtual ~LineSource() = default;

  // Replaces `lines` by the next ones, up to `most`, and returns false when there are none left. From a pipe or a
  // terminal it takes what is there as soon as the writer pauses, so that nobody waits for lines that may never come.
  virtual bool next(Index most, std::vector<std::string>& lines) = 0;
};

// Plain, .gz or .zst; with an empty path standard input. Throws Error when it cannot be read.
std::unique_ptr<LineSource> open_lines(const std::filesystem::path& path);

// Reads the whole file once.
Index count_lines(const std::filesystem::path& path);

}  // namespace heed::cli
