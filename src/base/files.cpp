#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  int get() const { return file_; }

 private:
  int file_;
};

[[noreturn]] void cannot_read(const fs::path& path) {
  const int reason = errno;
  throw Error(
      fmt::format("'{}': cannot read ({}); check the name and the permissions", path.string(), std::strerror(reason)));
}

struct stat facts_of(const fs::path& path, const Descriptor& file) {
  struct stat facts {};
  if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) cannot_read(path);
  if (S_ISDIR(facts.st_mode)) {
    errno = EISDIR;
    cannot_read(path);
  }
  return facts;
}

[[noreturn]] void refuse_special(const fs::path& path) {
  throw Error(fmt::format("'{}' is a pipe or a device; use a regular file", path.string()));
}

struct stat facts_of_regular(const fs::path& path, const Descriptor& file) {
  const struct stat facts = facts_of(path, file);
  if (!S_ISREG(facts.st_mode)) refuse_special(path);
  return facts;
}

[[noreturn]] void cannot_write(const fs::path& path) {
  const int reason = errno;
  throw Error(fmt::format("'{}': cannot write ({}); free some space or choose a writable folder", path.string(),
                          std::strerror(reason)));
}

// Whether a path, with links in its folder resolved, is a file descriptor of a process: /proc/N/fd/M.
bool names_descriptor(const fs::path& path) {
  return path.string().starts_with("/proc/") && path.parent_path().filename() == "fd";
}

fs::path regular_target(const fs::path& path) {
  fs::path target = follow_links(path);
  struct stat facts {};
  if (names_descriptor(target)) refuse_special(path);
  if (::stat(target.c_str(), &facts) != 0 || S_ISREG(facts.st_mode)) return target;
  if (!S_ISDIR(facts.st_mode)) refuse_special(path);
  errno = EISDIR;
  cannot_write(path);
}

void sync_folder(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const Descriptor file(folder, O_RDONLY | O_DIRECTORY);
  if (file.get() >= 0) ::fsync(file.get());
}

// Reads or writes everything, in as many calls as needed; false on an error or an early end.
template <class Transfer>
bool transfer_all(std::size_t size, const Transfer& transfer) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t moved = transfer(done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

bool write_all(int file, std::span<const std::byte> bytes) {
  return transfer_all(bytes.size(),
                      [&](std::size_t from, std::size_t count) { return ::write(file, bytes.data() + from, count); });
}

std::string read_file(const fs::path& path, const ReadOptions& options) {
  // Without O_NONBLOCK, opening a pipe would block before it can be refused.
  const Descriptor file(path, O_RDONLY | (options.pipes ? 0 : O_NONBLOCK));
  options.pipes ? facts_of(path, file) : facts_of_regular(path, file);
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot_read(path);
    if (count == 0) return text;
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > options.most_bytes) {
      throw Error(fmt::format("'{}' has more than {} bytes; check that it is the right file", path.string(),
                              options.most_bytes));
    }
  }
}

bool file_exists(const fs::path& path) {
  std::error_code error;
  return fs::status(path, error).type() != fs::file_type::not_found;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path, error)) {
    throw Error(fmt::format("'{}': cannot create the folder ({}); choose another folder or check the permissions",
                            path.string(), error ? error.message() : "a file of that name exists"));
  }
}

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  size_ = static_cast<std::size_t>(facts_of_regular(path, file).st_size);
  if (size_ == 0) return;
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) cannot_read(path);
  data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

fs::path follow_links(const fs::path& path) {
  constexpr int most_links = 40;  // as in the Linux kernel
  fs::path at = path;
  for (int i = 0; i < most_links; ++i) {
    std::error_code error;
    const fs::path folder = fs::canonical(at.has_parent_path() ? at.parent_path() : fs::path("."), error);
    if (error || names_descriptor(folder / at.filename())) return error ? at : folder / at.filename();
    const fs::path to = fs::read_symlink(at, error);
    if (error) return at;
    at = to.is_absolute() ? to : folder / to;
  }
  errno = ELOOP;
  cannot_write(path);
}

FileWriter::FileWriter(fs::path path) : path_(std::move(path)), target_(regular_target(path_)), temporary_(target_) {
  if (temporary_.descriptor() < 0) cannot_write(path_);
  keep_permissions();
}

void FileWriter::keep_permissions() const {
  struct stat old {};
  if (::stat(target_.c_str(), &old) != 0) return;
  // Only a privileged user may change a file's owner; failing to do so is not an error.
  if (old.st_uid != ::geteuid() && ::fchown(temporary_.descriptor(), old.st_uid, old.st_gid) != 0) errno = 0;
  constexpr mode_t permissions = 0777;
  ::fchmod(temporary_.descriptor(), old.st_mode & permissions);
}

void FileWriter::write(std::span<const std::byte> bytes) {
  if (!write_all(temporary_.descriptor(), bytes)) cannot_write(path_);
}

void FileWriter::write_at(std::size_t position, std::span<const std::byte> bytes) {
  const bool done = transfer_all(bytes.size(), [&](std::size_t from, std::size_t count) {
    return ::pwrite(temporary_.descriptor(), bytes.data() + from, count, static_cast<off_t>(position + from));
  });
  if (!done) cannot_write(path_);
}

void FileWriter::commit() {
  if (::fsync(temporary_.descriptor()) != 0) cannot_write(path_);
  if (!temporary_.rename_to(target_)) cannot_write(path_);
  sync_folder(target_);
}

void write_file(const fs::path& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.commit();
}

void append_to_file(const fs::path& path, std::string_view text) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK);
  if (file.get() < 0 && errno == ENXIO) refuse_special(path);  // a pipe that nobody reads
  if (file.get() < 0) cannot_write(path);
  if (!S_ISREG(facts_of(path, file).st_mode)) refuse_special(path);
  if (!write_all(file.get(), std::as_bytes(std::span(text)))) cannot_write(path);
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    throw Error(fmt::format("'{}': cannot be renamed to '{}' ({}); check the permissions", from.string(), to.string(),
                            std::strerror(reason)));
  }
  sync_folder(to);
}

}  // namespace heed
