#include "interchange/new_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/files.h"
#include "heed/error.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& folder) {
  const int reason = errno;
  throw Error(fmt::format("'{}': cannot write ({}); free some space or choose a writable folder", folder.string(),
                          std::strerror(reason)));
}

[[noreturn]] void already_there(const fs::path& folder) {
  throw Error(fmt::format("'{}' already exists; choose another folder", folder.string()));
}

// RAII: holds back the signals that end a program, which would leave the temporary folder behind.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// RAII: a folder next to its final place, removed unless it is moved there.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& target) : target_(target) {
    path_ = fmt::format("{}.{}.part", target.string(), ::getpid());
    if (::mkdir(path_.c_str(), 0777) != 0) cannot_write(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!moved_) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }
  // Never replaces anything, not even an empty folder.
  void move() {
    int status = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
    // Some file systems do not know the flag.
    if (status != 0 && errno == EINVAL) status = std::rename(path_.c_str(), target_.c_str());
    if (status != 0 && errno == EEXIST) already_there(target_);
    if (status != 0) cannot_write(target_);
    moved_ = true;
    flush_parent();
  }

 private:
  // So that the new name survives a crash. Some file systems cannot do this, and lose little by it.
  void flush_parent() const {
    const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    ::fsync(folder);
    ::close(folder);
  }

  fs::path target_;
  fs::path path_;
  bool moved_ = false;
};

// Without a slash at its end.
fs::path plain(const fs::path& folder) { return folder.has_filename() ? folder : folder.parent_path(); }

}  // namespace

void write_new_folder(const fs::path& folder, const std::function<void(const fs::path& temporary)>& write) {
  const fs::path target = plain(folder);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target, ignored))) already_there(target);
  if (target.has_parent_path()) make_folder(target.parent_path());
  const SignalsHeld held;
  TemporaryFolder temporary(target);
  write(temporary.path());
  temporary.move();
}

}  // namespace heed::interchange
