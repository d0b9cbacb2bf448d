// The output of a command: standard output, or the file that the user named.
//
// A regular file is replaced atomically when it is complete, so a partial result is never mistaken for a whole one, and
// a command may read and replace the same file. Standard output, pipes, devices and open descriptors (/dev/stdout,
// /proc/self/fd/3) are written to directly, unbuffered.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"

namespace heed {

class OutputFile {
 public:
  // An empty path is standard output. Throws Error if it cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  // Moves the complete file to its place.
  void finish();

 private:
  std::string name_;
  std::optional<FileWriter> file_;
  std::string pending_;  // buffer for a regular file
  int direct_ = -1;      // descriptor that is written to directly
};

}  // namespace heed
