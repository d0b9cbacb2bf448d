// A file under a name of its own that vanishes unless it is renamed: what is written before it takes its place.
//
// The name is random and the file is created with O_EXCL, so two programs never share one and a link that stands there
// is never followed. The file is locked while it is open: what a killed program left behind can be told from what is
// still being written.
#pragma once

#include <filesystem>

namespace heed {

class TemporaryFile {
 public:
  // Creates the file beside `target`, under its name with a random ending; descriptor() is −1 and errno says why when
  // that fails.
  explicit TemporaryFile(const std::filesystem::path& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  int descriptor() const { return file_; }
  // Gives the file its name in one step and closes it; false, with errno, when that fails.
  bool rename_to(const std::filesystem::path& path);

 private:
  void forget();

  std::filesystem::path path_;
  int file_ = -1;
  int slot_ = -1;  // in the list that remove_temporary_files goes by
};

// Removes every temporary file of this process; for a handler of signals that end the program.
void remove_temporary_files() noexcept;

// Removes the temporary files in a folder that no process is writing any more.
void remove_stale_temporary_files(const std::filesystem::path& folder);

}  // namespace heed
