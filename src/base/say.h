// Prints a line on standard error. Write errors are ignored.
#pragma once

#include <cstdio>
#include <string>

namespace heed {

inline void say(const std::string& line) noexcept {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

}  // namespace heed
