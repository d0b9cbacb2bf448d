// Where results go: standard output, or a file.
//
// A file appears under its name when it is complete: half a translation is never mistaken for a whole one, and a file
// may be read and replaced by the same command. Standard output, pipes and devices get every line at once.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/files.h"

namespace heed::cli {

class TextOutput {
 public:
  // An empty path is standard output. Throws Error when the file cannot be written.
  explicit TextOutput(const std::filesystem::path& path);
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;
  ~TextOutput();

  void write(std::string_view text);
  // Puts the file in its place.
  void finish();

 private:
  std::filesystem::path path_;
  std::optional<FileWriter> file_;
  std::FILE* stream_ = nullptr;
  std::string pending_;
};

}  // namespace heed::cli
