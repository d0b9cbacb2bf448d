// The files of a model that another program made: those of a folder or an archive, or a single file and what stands
// beside it. Files that end in .gz are unpacked and go by their name without it.
//
// Names are those of files, without folders, so that a setting in a package can name nothing outside of it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace heed::interchange {

class Package {
 public:
  // Throws Error if there is no such file or folder, or for a damaged archive.
  explicit Package(const std::filesystem::path& path);

  // The file that was passed; empty for a folder or an archive.
  const std::string& main() const { return main_; }
  std::vector<std::string> names() const;  // sorted
  bool has(const std::string& name) const { return files_.contains(name); }
  // The bytes stay where they are as long as the package. Throws Error for a Git LFS pointer.
  std::string_view bytes(const std::string& name);
  // For messages: the path of a file.
  std::string place(const std::string& name) const;
  const std::string& path() const { return path_; }

 private:
  struct File {
    std::filesystem::path path;  // empty if the bytes are there from the start
    std::unique_ptr<MappedFile> mapped;
    std::string unpacked;
    std::string_view bytes;
    bool loaded = false;
    bool twice = false;  // in two folders of an archive
  };

  void add_folder(const std::filesystem::path& folder);
  void add_archive(std::string_view bytes);
  void load(File& file, const std::string& name) const;

  std::string path_;
  bool archive_ = false;
  std::string main_;
  std::map<std::string, File> files_;
};

// A file outside of a package, unpacked likewise.
std::string read_single_file(const std::filesystem::path& path);

}  // namespace heed::interchange
