// Makes text from a file safe for messages: on one line, without control characters, truncated if long.
#pragma once

#include <string>
#include <string_view>

namespace heed {

inline std::string one_line(std::string_view text) {
  constexpr std::size_t most_bytes = 100;
  std::size_t size = text.size();
  if (size > most_bytes) {
    // Do not cut within a character.
    for (size = most_bytes; size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80;) --size;
  }
  std::string line(text.substr(0, size));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (size < text.size()) line += "…";
  return line;
}

}  // namespace heed
