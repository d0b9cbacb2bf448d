#include "interchange/package.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "heed/error.h"
#include "interchange/archive.h"
#include "interchange/pytorch_file.h"
#include "interchange/shown.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gz = ".gz";

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string without_gz(const std::string& name) {
  return name.ends_with(gz) ? name.substr(0, name.size() - gz.size()) : name;
}

// Whether a zip holds arrays: the name of its first file says so.
bool is_npz(std::string_view bytes) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (!is_zip(bytes) || bytes.size() < name_at) return false;
  std::uint16_t length;
  std::memcpy(&length, bytes.data() + length_at, sizeof length);
  return bytes.substr(name_at, length).ends_with(".npy");
}

void refuse_pointer(std::string_view bytes, const std::string& place) {
  if (bytes.starts_with("version https://git-lfs.github.com/spec/")) {
    throw Error(fmt::format("'{}': this is a Git LFS pointer; fetch the file itself with 'git lfs pull'", place));
  }
}

}  // namespace

Package::Package(const fs::path& path) : path_(path.string()) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    add_folder(path);
    return;
  }
  if (!file_exists(path)) throw Error(fmt::format("'{}' does not exist; pass a model file or a folder", path_));
  MappedFile mapped(path);
  std::string_view bytes = text_of(mapped);
  std::string unpacked;
  if (is_gzip(bytes)) bytes = unpacked = unzip_file(bytes, path_);
  refuse_pointer(bytes, path_);
  if (is_tar(bytes) || (is_zip(bytes) && !is_npz(bytes) && !is_pytorch_zip(bytes))) {
    add_archive(bytes);
    return;
  }
  add_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
  main_ = without_gz(path.filename().string());
  File& file = files_[main_];
  file = {};
  file.mapped = std::make_unique<MappedFile>(std::move(mapped));
  file.unpacked = std::move(unpacked);
  file.bytes = file.unpacked.empty() ? text_of(*file.mapped) : file.unpacked;
  file.loaded = true;
}

void Package::add_folder(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::error_code error;
    if (!entry.is_regular_file(error)) continue;
    const std::string name = entry.path().filename().string();
    // A file that is there in both forms is taken as it is.
    const bool packed = name.ends_with(gz);
    if (packed && files_.contains(without_gz(name))) continue;
    files_[without_gz(name)].path = entry.path();
  }
}

void Package::add_archive(std::string_view bytes) {
  archive_ = true;
  for (ArchiveFile& packed : read_archive(bytes, path_)) {
    const std::string name = packed.name.substr(packed.name.rfind('/') + 1);
    File& file = files_[without_gz(name)];
    // Argos' packages hold models of other kinds in folders of their own, whose files are never asked for.
    file.twice = file.loaded;
    file.unpacked = is_gzip(packed.bytes) ? unzip_file(packed.bytes, place(name)) : std::move(packed.bytes);
    file.bytes = file.unpacked;
    file.loaded = true;
  }
}

std::vector<std::string> Package::names() const {
  std::vector<std::string> all;
  for (const auto& [name, file] : files_) all.push_back(name);
  return all;
}

std::string Package::place(const std::string& name) const {
  if (archive_) return fmt::format("{}: {}", path_, shown(name));
  const auto found = files_.find(name);
  return found == files_.end() || found->second.path.empty() ? path_ : found->second.path.string();
}

void Package::load(File& file, const std::string& name) const {
  file.mapped = std::make_unique<MappedFile>(file.path);
  file.bytes = text_of(*file.mapped);
  if (is_gzip(file.bytes)) file.bytes = file.unpacked = unzip_file(file.bytes, place(name));
  file.loaded = true;
}

std::string_view Package::bytes(const std::string& name) {
  const auto found = files_.find(name);
  if (found == files_.end()) throw Error(fmt::format("'{}': there is no '{}' in it", path_, shown(name)));
  if (found->second.twice) throw Error(fmt::format("'{}': there are two files '{}' in it", path_, shown(name)));
  if (!found->second.loaded) load(found->second, name);
  refuse_pointer(found->second.bytes, place(name));
  return found->second.bytes;
}

std::string read_single_file(const fs::path& path) {
  std::string bytes = read_file(path);
  refuse_pointer(bytes, path.string());
  return is_gzip(bytes) ? unzip_file(bytes, path.string()) : bytes;
}

}  // namespace heed::interchange
