// What the fuzz targets share.
//
// A target is a file with LLVMFuzzerTestOneInput and seeds(). It is built twice: with libFuzzer, which searches for
// inputs that reach new code in the loader (scripts/fuzz), and with replay.cpp, which tries the seeds and a few
// thousand mutations of them among the ordinary tests.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "heed/error.h"
#include "text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace heed::fuzz {

// Inputs that the loader accepts, as our own writers write them, and inputs that once caused trouble.
std::vector<std::string> seeds();

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts unless the condition holds.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

inline int accepted = 0;  // inputs that a loader accepted

// Runs a loader, which may reject its input with a one-line Error. Any other exception ends the program.
template <class Load>
void attempt(const Load& load) {
  constexpr std::size_t longest_message = 2000;
  try {
    load();
    ++accepted;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const bool one_line = message.find_first_of("\n\r") == std::string_view::npos;
    require(!message.empty() && message.size() < longest_message && one_line && !find_invalid_utf8(message),
            error.what());
  }
}

// The text up to the next NUL; `rest` continues after it.
inline std::string_view next_part(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

// RAII: a folder for the files of an input, in memory if possible.
class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool can_write = ::access(memory.c_str(), W_OK) == 0;
    path_ = (can_write ? memory : std::filesystem::temp_directory_path()) / ("heed_fuzz_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heed::fuzz
