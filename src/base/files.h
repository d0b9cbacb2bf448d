// Files read whole, mapped, or written so that a crash leaves either the old file or the new one.
//
// Nothing here waits for a pipe or reads a device unless it is told to. Every failure throws Error with the path, the
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
  std::size_t most_bytes = std::size_t{1} << 30;  // a larger file is refused
  bool pipes = false;                             // also read a pipe or a device, to its end
};

// Pipes and devices are refused unless asked for.
std::string read_file(const std::filesystem::path& path, const ReadOptions& options = {});

// False only if there is nothing of that name: a path that cannot be followed is left to the reader's message.
bool file_exists(const std::filesystem::path& path);

// Creates the folder and those above it.
void make_folder(const std::filesystem::path& path);

// A file mapped for reading. Movable; the bytes stay where they are until the owner goes.
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

// Follows links to the file that a path stands for; nothing need be there. A link to a descriptor of a process, such as
// /dev/stdout, is where it stops.
std::filesystem::path follow_links(const std::filesystem::path& path);

// Writes to a temporary file beside what `path` stands for. commit() brings it to the disk and puts it in place of the
// old file in one step, with the old one's permissions; without commit() the old file stays as it was and the temporary
// one goes. Throws Error where a pipe, a device or a folder stands.
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

  std::filesystem::path path_;    // as it was given
  std::filesystem::path target_;  // what it stands for
  TemporaryFile temporary_;
};

// Writes to a descriptor, whatever portions the system takes; false, with errno, when it takes no more.
bool write_all(int file, std::span<const std::byte> bytes);

void write_file(const std::filesystem::path& path, std::string_view text);

// Adds to the end of a file, which is created if need be.
void append_to_file(const std::filesystem::path& path, std::string_view text);

// Gives a file another name, in place of whatever had it, and brings that to the disk.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace heed
