// Reads lines of a file or of standard input in groups.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/index.h"

namespace heed::cli {

// A group that is large enough for speed and small enough for memory.
constexpr Index lines_at_a_time = 1024;

// A source of lines. Only \n ends a line; a last line without \n counts.
class LineSource {
 public:
  virtual ~LineSource() = default;

  // Replaces `lines` with the next lines, at most `most`, and returns false if there are none left. From a pipe or a
  // terminal it returns the available lines as soon as the writer pauses, instead of waiting for a full group.
  virtual bool next(Index most, std::vector<std::string>& lines) = 0;
};

// Plain, .gz or .zst; an empty path is standard input. Throws Error if it cannot be read.
std::unique_ptr<LineSource> open_lines(const std::filesystem::path& path);

// Reads the whole file once.
Index count_lines(const std::filesystem::path& path);

}  // namespace heed::cli
