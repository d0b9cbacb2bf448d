// Files read whole, mapped, or written so that a crash leaves either the old file or the new one.
//
// Every failure throws Error with the path, the system's reason and the remedy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace heed {

struct ReadOptions {
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();  // a larger file is refused
  bool pipes = false;                                                // also read what is no regular file, to its end
};

// A pipe that nobody writes to would be waited for, and a device may never end: both are refused unless asked for.
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

// Writes to a temporary file beside `path`. commit() brings it to the disk and puts it in place of the old file in one
// step; without commit() the old file stays as it was and the temporary one goes.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Overwrites bytes that were written before.
  void write_at(std::size_t position, std::span<const std::byte> bytes);
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
};

void write_file(const std::filesystem::path& path, std::string_view text);

// Gives a file another name, in place of whatever had it, and brings that to the disk.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace heed
