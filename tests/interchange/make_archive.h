// Archives in memory, for tests.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <string>
#include <vector>

#include "interchange/archive.h"

namespace heed::interchange {

enum class Packing { stored_zip, zip, tar, tar_gz, gz };  // gz: the bytes of the first file

inline std::string make_archive(const std::vector<ArchiveFile>& files, Packing packing) {
  std::size_t room = 1 << 16;
  for (const ArchiveFile& file : files) room += 2 * file.bytes.size() + 4096;
  std::string bytes(room, '\0');
  archive* a = archive_write_new();
  switch (packing) {
    case Packing::stored_zip:
      archive_write_set_format_zip(a);
      archive_write_zip_set_compression_store(a);
      break;
    case Packing::zip:
      archive_write_set_format_zip(a);
      archive_write_zip_set_compression_deflate(a);
      break;
    case Packing::tar: archive_write_set_format_ustar(a); break;
    case Packing::tar_gz:
      archive_write_set_format_ustar(a);
      archive_write_add_filter_gzip(a);
      break;
    case Packing::gz:
      archive_write_set_format_raw(a);
      archive_write_add_filter_gzip(a);
      break;
  }
  std::size_t used = 0;
  archive_write_open_memory(a, bytes.data(), bytes.size(), &used);
  for (const ArchiveFile& file : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, file.name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(file.bytes.size()));
    archive_write_header(a, entry);
    archive_write_data(a, file.bytes.data(), file.bytes.size());
    archive_entry_free(entry);
    if (packing == Packing::gz) break;
  }
  archive_write_close(a);
  archive_write_free(a);
  bytes.resize(used);
  return bytes;
}

}  // namespace heed::interchange
