// A line for the user on standard error. One that cannot be written is no failure: the work goes on.
#pragma once

#include <cstdio>
#include <string>

namespace heed {

inline void say(const std::string& line) noexcept {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

}  // namespace heed
