#include "interchange/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <set>

#include "heed/error.h"
#include "interchange/shown.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

// Weights hardly compress, and text not by this much.
constexpr std::size_t largest_ratio = 32;
constexpr std::size_t always_allowed = std::size_t{1} << 26;
constexpr std::size_t most_files = 20000;

struct Close {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Reader = std::unique_ptr<archive, Close>;

[[noreturn]] void damaged(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}; fetch it again", name, what));
}

std::string reason(archive* a) {
  const char* text = archive_error_string(a);
  return text == nullptr ? "damaged" : shown(text);
}

enum class Form { zip, tar, raw };  // raw: one file without a name

Reader open(std::string_view bytes, Form form, const std::string& name) {
  Reader reader(archive_read_new());
  archive* a = reader.get();
  if (a == nullptr) throw std::bad_alloc();
  if (form != Form::zip) archive_read_support_filter_gzip(a);
  switch (form) {
    case Form::zip: archive_read_support_format_zip_seekable(a); break;
    case Form::tar: archive_read_support_format_tar(a); break;
    case Form::raw: archive_read_support_format_raw(a); break;
  }
  if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK) damaged(name, reason(a));
  return reader;
}

// Counts unpacked bytes over all files of an archive.
class Budget {
 public:
  explicit Budget(std::size_t packed) : left_(always_allowed + largest_ratio * packed) {}

  void spend(std::size_t bytes, const std::string& name) {
    if (bytes > left_) {
      throw Error(fmt::format("'{}': unpacks to more than {} times its size, which no model does; it may be a zip bomb",
                              name, largest_ratio));
    }
    left_ -= bytes;
  }

 private:
  std::size_t left_;
};

std::string read_data(archive* a, Budget& budget, const std::string& name) {
  std::string bytes;
  std::array<char, 1 << 16> block;
  while (true) {
    const la_ssize_t count = archive_read_data(a, block.data(), block.size());
    if (count == 0) return bytes;
    if (count < 0) damaged(name, reason(a));
    budget.spend(static_cast<std::size_t>(count), name);
    bytes.append(block.data(), static_cast<std::size_t>(count));
  }
}

// Nothing is written under these names, but an archive that has such a name was made to do harm.
bool leads_out(std::string_view name) {
  if (name.starts_with('/') || name.find('\\') != std::string_view::npos) return true;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part == "..") return true;
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return false;
}

std::string name_of(archive_entry* entry, const std::string& archive_name) {
  // The first form lacks names that the locale cannot express.
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  if (name == nullptr || *name == '\0' || find_invalid_utf8(name)) {
    damaged(archive_name, "a file in it has no name, or one that is not UTF-8");
  }
  if (leads_out(name)) {
    throw Error(
        fmt::format("'{}': the name '{}' in it leads out of the archive; do not use it", archive_name, shown(name)));
  }
  return name;
}

}  // namespace

bool is_zip(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("PK\3\4"sv) || bytes.starts_with("PK\5\6"sv);
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool is_tar(std::string_view bytes) { return bytes.size() >= 512 && bytes.substr(257, 5) == "ustar"; }

std::vector<ArchiveFile> read_archive(std::string_view bytes, const std::string& name) {
  const Reader reader = open(bytes, is_zip(bytes) ? Form::zip : Form::tar, name);
  archive* a = reader.get();
  Budget budget(bytes.size());
  std::vector<ArchiveFile> files;
  std::set<std::string> names;
  archive_entry* entry = nullptr;
  for (std::size_t count = 0;; ++count) {
    const int status = archive_read_next_header(a, &entry);
    if (status == ARCHIVE_EOF) return files;
    // A warning is about a name in another character set.
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) damaged(name, reason(a));
    if (count >= most_files) damaged(name, fmt::format("more than {} files in it", most_files));
    const std::string file = name_of(entry, name);
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
      throw Error(fmt::format("'{}': '{}' in it is a link or a device; pack plain files", name, shown(file)));
    }
    if (!names.insert(file).second) damaged(name, fmt::format("'{}' is in it twice", shown(file)));
    files.push_back({file, read_data(a, budget, name)});
  }
}

std::string unzip_file(std::string_view bytes, const std::string& name) {
  const Reader reader = open(bytes, Form::raw, name);
  archive_entry* entry = nullptr;
  if (archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) damaged(name, reason(reader.get()));
  Budget budget(bytes.size());
  return read_data(reader.get(), budget, name);
}

}  // namespace heed::interchange
