// Where a command's results go: standard output, or what the user named.
//
// A plain file appears under its name when it is complete: half a result is never mistaken for a whole one, and a
// command may read and replace the same file. Standard output, pipes, devices and open descriptors (/dev/stdout,
// /proc/self/fd/3) get every byte at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"

namespace heed {

class OutputFile {
 public:
  // An empty path is standard output. Throws Error when it cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  // Puts the file in its place.
  void finish();

 private:
  std::string name_;
  std::optional<FileWriter> file_;
  std::string pending_;  // of a plain file
  int direct_ = -1;      // what takes every byte at once
};

}  // namespace heed
