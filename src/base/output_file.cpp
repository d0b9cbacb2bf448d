#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_size = std::size_t{1} << 16;

// The file descriptor of this process that the path names; −1 if it names none.
int own_descriptor(const fs::path& target) {
  const std::string number = target.filename().string();
  int file = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), file);
  const bool own = target.parent_path() == fmt::format("/proc/{}/fd", ::getpid());
  return own && error == std::errc() && end == number.data() + number.size() ? file : -1;
}

// A descriptor for output that is written directly; −1 for a regular file, or on failure with errno.
int open_direct(const fs::path& path) {
  if (path.empty()) return ::dup(STDOUT_FILENO);
  const fs::path target = follow_links(path);
  // Opening it by name would overwrite the start of a file that the shell has opened for appending.
  if (const int file = own_descriptor(target); file >= 0) return ::dup(file);
  std::error_code error;
  const fs::file_type type = fs::status(target, error).type();
  if (type == fs::file_type::regular || type == fs::file_type::not_found || type == fs::file_type::directory) {
    errno = 0;
    return -1;
  }
  return ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

[[noreturn]] void cannot_write(const std::string& name) {
  const int reason = errno;
  throw Error(
      fmt::format("{}: cannot write ({}); free some space or write somewhere else", name, std::strerror(reason)));
}

}  // namespace

OutputFile::OutputFile(const fs::path& path)
    : name_(path.empty() ? "standard output" : fmt::format("'{}'", path.string())) {
  errno = 0;
  direct_ = open_direct(path);
  if (direct_ >= 0) return;
  if (errno != 0) cannot_write(name_);
  file_.emplace(path);
}

OutputFile::~OutputFile() {
  if (direct_ >= 0) ::close(direct_);
}

void OutputFile::write(std::string_view bytes) {
  if (direct_ >= 0) {
    if (!write_all(direct_, std::as_bytes(std::span(bytes)))) cannot_write(name_);
    return;
  }
  pending_ += bytes;
  if (pending_.size() < block_size) return;
  file_->write(pending_);
  pending_.clear();
}

void OutputFile::finish() {
  if (!file_) return;
  file_->write(pending_);
  file_->commit();
}

}  // namespace heed
