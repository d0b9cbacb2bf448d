// Reads text files line by line: plain, .gz or .zst, detected by their first bytes.
//
// Only \n ends a line, so CR, NUL or U+2028 never shift the count; a last line without \n counts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/index.h"

namespace heed {

// A file's name without its folder and without .gz or .zst.
std::filesystem::path uncompressed_name(const std::filesystem::path& path);

class LineReader {
 public:
  // Throws Error if the file cannot be read.
  explicit LineReader(const std::filesystem::path& path);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // False at the end. Throws Error for a damaged file.
  bool next(std::string& line);
  Index line_number() const { return line_number_; }  // of the last line read, from 1
  // The fraction of the file's bytes read so far, for a progress bar.
  double share_read() const;

  class Source;  // decompressed bytes of the file

 private:
  bool refill();

  std::filesystem::path path_;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  std::size_t position_ = 0;
  Index line_number_ = 0;
};

// Drops the CR of a Windows line ending.
inline void drop_carriage_return(std::string& line) {
  if (line.ends_with('\r')) line.pop_back();
}

}  // namespace heed
