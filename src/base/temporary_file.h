// RAII: a temporary file that is removed unless it is renamed to its final name.
//
// The name is random and the file is created with O_EXCL, so two programs never share one and an existing link is never
// followed. The file is locked while open, so that stale files of a killed program can be told from files in use.
#pragma once

#include <filesystem>

namespace heed {

class TemporaryFile {
 public:
  // Creates the file next to `target`, with a random suffix. On failure descriptor() is −1 and errno is set.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  int descriptor() const { return file_; }
  // Renames the file atomically and closes it; false, with errno, on failure.
  bool rename_to(const std::filesystem::path& path);

 private:
  void forget();

  std::filesystem::path path_;
  int file_ = -1;
  int slot_ = -1;  // in the list used by remove_temporary_files
};

// Removes every temporary file of this process. Async-signal-safe.
void remove_temporary_files() noexcept;

// Removes temporary files in a folder that no process has open any more.
void remove_stale_temporary_files(const std::filesystem::path& folder);

}  // namespace heed
