// The files inside a zip, a tar or a gzip file, unpacked into memory; nothing is ever written to disk.
//
// Archives are not trusted: names that lead out of a folder, links, repeated names and archives that unpack to far more
// than their own size are refused with an Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::interchange {

struct ArchiveFile {
  std::string name;  // valid UTF-8, with its folders
  std::string bytes;
};

// By their first bytes.
bool is_zip(std::string_view bytes);
bool is_gzip(std::string_view bytes);
bool is_tar(std::string_view bytes);

// The files of a zip, a tar or a compressed tar. `name` is that of the archive, for messages.
std::vector<ArchiveFile> read_archive(std::string_view bytes, const std::string& name);

// What a gzip file holds.
std::string unzip_file(std::string_view bytes, const std::string& name);

}  // namespace heed::interchange
