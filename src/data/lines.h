// Text files line by line: plain, .gz or .zst, told apart by their first bytes.
//
// A line ends at \n and nowhere else, so CR, NUL or U+2028 never shift the count; a last line without \n counts.
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
  // Throws Error when the file cannot be read.
  explicit LineReader(const std::filesystem::path& path);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // False at the end. Throws Error for a damaged file, with the line reached.
  bool next(std::string& line);
  Index line_number() const { return line_number_; }  // of the line read last, from 1
  // The share of the file's bytes that have been read, for a progress bar.
  double share_read() const;

  class Source;  // where the bytes come from

 private:
  bool refill();

  std::filesystem::path path_;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  std::size_t position_ = 0;
  Index line_number_ = 0;
};

// A line of a file made on Windows ends in CR, which is no part of the text.
inline void drop_carriage_return(std::string& line) {
  if (line.ends_with('\r')) line.pop_back();
}

}  // namespace heed
