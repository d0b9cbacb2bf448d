#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <random>
#include <string>
#include <utility>

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".part";
constexpr std::size_t random_digits = 16;

// A signal handler may neither allocate nor lock, so paths are kept in a fixed array. Files that do not fit in it are
// not removed on a signal; nothing else depends on it.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> named = false;  // the path is valid
  char path[PATH_MAX] = {};
};
std::array<Slot, 64> slots;

int take_slot(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].named = true;
    return static_cast<int>(i);
  }
  return -1;
}

std::string random_name(const fs::path& target) {
  constexpr std::size_t longest = 200;  // file systems allow 255 bytes
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  return fmt::format("{}.{:0{}x}{}", target.filename().string().substr(0, longest), number, random_digits, ending);
}

bool is_random_name(const std::string& name) {
  if (name.size() < random_digits + ending.size() + 2 || !name.ends_with(ending)) return false;
  const std::string digits = name.substr(name.size() - ending.size() - random_digits, random_digits);
  return name[name.size() - ending.size() - random_digits - 1] == '.' &&
         digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& target) {
  do {
    forget();
    path_ = target.parent_path() / random_name(target);
    slot_ = take_slot(path_.string());
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ >= 0) {
    ::flock(file_, LOCK_EX | LOCK_NB);
    return;
  }
  const int reason = errno;
  forget();
  errno = reason;
}

TemporaryFile::~TemporaryFile() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
  forget();
}

bool TemporaryFile::rename_to(const fs::path& path) {
  if (::rename(path_.c_str(), path.c_str()) != 0) return false;
  forget();
  ::close(std::exchange(file_, -1));
  return true;
}

void TemporaryFile::forget() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(std::exchange(slot_, -1))];
  slot.named = false;
  slot.taken = false;
}

void remove_temporary_files() noexcept {
  for (const Slot& slot : slots) {
    if (slot.named) ::unlink(slot.path);
  }
}

void remove_stale_temporary_files(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!is_random_name(entry.path().filename().string())) continue;
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
    ::close(file);
  }
}

}  // namespace heed
