// Reads files whole or memory-mapped, and writes them atomically: a crash leaves either the old file or the new one.
//
// Nothing here blocks on a pipe or reads a device unless told to. Every failure throws Error with the path, the
// system's reason and the remedy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/temporary_file.h"

namespace heed {

struct ReadOptions {
  std::size_t most_bytes = std::size_t{1} << 30;  // larger files are refused
  bool pipes = false;                             // also read a pipe or a device, to its end
};

// Pipes and devices are refused unless enabled.
std::string read_file(const std::filesystem::path& path, const ReadOptions& options = {});

// False only if no such file exists; a path that cannot be accessed counts, so that reading it reports the reason.
bool file_exists(const std::filesystem::path& path);

// Creates the folder and its parents.
void make_folder(const std::filesystem::path& path);

// A memory-mapped file for reading (RAII). Moving it does not move the bytes.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Resolves symbolic links; the target need not exist. Stops at a file descriptor of a process, such as /dev/stdout.
std::filesystem::path follow_links(const std::filesystem::path& path);

// Writes to a temporary file next to the target of `path`. commit() flushes it to disk and atomically replaces the old
// file, with its permissions; without commit() the old file is unchanged and the temporary one is removed. Throws Error
// if the target is a pipe, a device or a folder.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Overwrites bytes that were written before.
  void write_at(std::size_t position, std::span<const std::byte> bytes);
  void commit();

 private:
  void keep_permissions() const;

  std::filesystem::path path_;    // as given
  std::filesystem::path target_;  // with links resolved
  TemporaryFile temporary_;
};

// Writes everything to a descriptor, in as many calls as needed; false, with errno, on failure.
bool write_all(int file, std::span<const std::byte> bytes);

void write_file(const std::filesystem::path& path, std::string_view text);

// Appends to a file, which is created if missing.
void append_to_file(const std::filesystem::path& path, std::string_view text);

// Renames a file, replacing any existing one, and flushes the change to disk.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace heed
