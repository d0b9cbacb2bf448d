#include "gettext/catalogue.h"

#include <fmt/format.h>
#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/figures.h"
#include "base/one_line.h"
#include "heed/error.h"
#include "text/utf8.h"

namespace heed::gettext {
namespace {

constexpr std::uint32_t magic = 0x950412de;
constexpr std::uint32_t magic_swapped = 0xde120495;
constexpr std::size_t header_size = 20;

class MoFile {
 public:
  MoFile(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {
    if (bytes.size() < header_size) fail("is too short for a message catalogue");
    const std::uint32_t first = word(0);
    if (first != magic && first != magic_swapped) fail("is not a message catalogue (.mo)");
    swapped_ = first == magic_swapped;
    const std::uint32_t major = word(4) >> 16;
    if (major > 1) fail(fmt::format("has unknown format revision {}", major));
    count_ = word(8);
    ids_ = word(12);
    translations_ = word(16);
    check_table(ids_);
    check_table(translations_);
    check_total();
  }

  std::size_t count() const { return count_; }
  std::string_view id(std::size_t i) const { return string(ids_ + 8 * i); }
  std::string_view translation(std::size_t i) const { return string(translations_ + 8 * i); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("'{}': {}; compile it again with msgfmt", name_, what));
  }

  std::uint32_t word(std::size_t at) const {
    std::uint32_t value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return swapped_ ? __builtin_bswap32(value) : value;
  }

  void check_table(std::size_t at) const {
    if (at > bytes_.size() || count_ > (bytes_.size() - at) / 8) {
      fail(fmt::format("is truncated: a table of {} at byte {} does not fit in {}", counted(count_, "message"), at,
                       counted(bytes_.size(), "byte")));
    }
  }

  // Overlapping strings could expand a small file to a large result.
  void check_total() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < count_; ++i) total += word(ids_ + 8 * i) + std::size_t{word(translations_ + 8 * i)};
    if (total > bytes_.size()) fail(fmt::format("is damaged: its strings take {} of {} bytes", total, bytes_.size()));
  }

  std::string_view string(std::size_t entry) const {
    const std::size_t length = word(entry);
    const std::size_t at = word(entry + 4);
    // Every string ends in a NUL.
    if (at >= bytes_.size() || length >= bytes_.size() - at || bytes_[at + length] != std::byte{0}) {
      fail(fmt::format("is damaged: a string of {} bytes at byte {} does not fit in {} bytes", length, at,
                       bytes_.size()));
    }
    return {reinterpret_cast<const char*>(bytes_.data()) + at, length};
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  bool swapped_ = false;
  std::size_t count_ = 0;
  std::size_t ids_ = 0;
  std::size_t translations_ = 0;
};

std::string charset_of(std::string_view header) {
  constexpr std::string_view key = "charset=";
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return "UTF-8";
  header.remove_prefix(at + key.size());
  return std::string(header.substr(0, header.find_first_of(" \t\r\n;")));
}

// ICU would look for an unknown name as a file, and parse what follows a comma as options.
bool is_plain(const std::string& charset) {
  return std::all_of(charset.begin(), charset.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
           c == '.' || c == ':' || c == '+';
  });
}

// Converts from a catalogue's charset to UTF-8.
class Decoder {
 public:
  Decoder(const std::string& charset, const std::string& name) {
    // CHARSET is the placeholder of an unfilled template.
    if (charset.empty() || charset == "CHARSET" || charset.size() > UCNV_MAX_CONVERTER_NAME_LENGTH - 1) return;
    UErrorCode status = U_ZERO_ERROR;
    if (is_plain(charset)) converter_.reset(ucnv_open(charset.c_str(), &status));
    if (!converter_) {
      throw Error(fmt::format("'{}': the charset '{}' is unknown; convert the catalogue to UTF-8 with msgconv", name,
                              one_line(replace_invalid_utf8(charset))));
    }
    if (ucnv_getType(converter_.get()) == UCNV_UTF8) converter_.reset();
    if (converter_) {
      ucnv_setToUCallBack(converter_.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
    }
  }

  // nullopt if the bytes are invalid in the charset.
  std::optional<std::string> decode(std::string_view bytes) const {
    if (!converter_) return find_invalid_utf8(bytes) ? std::nullopt : std::optional(std::string(bytes));
    UErrorCode status = U_ZERO_ERROR;
    const icu::UnicodeString text(bytes.data(), static_cast<std::int32_t>(bytes.size()), converter_.get(), status);
    if (U_FAILURE(status)) return std::nullopt;
    std::string utf8;
    text.toUTF8String(utf8);
    return find_invalid_utf8(utf8) ? std::nullopt : std::optional(utf8);
  }

 private:
  struct Close {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
  };
  std::unique_ptr<UConverter, Close> converter_;
};

std::vector<std::string> split_at_zeros(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\0', start)) != std::string::npos; start = end + 1) {
    parts.push_back(text.substr(start, end - start));
  }
  parts.push_back(text.substr(start));
  return parts;
}

Message make_message(std::string id, const std::string& translation) {
  constexpr char context_end = '\x04';
  id.erase(0, id.find(context_end) + 1);
  std::vector<std::string> ids = split_at_zeros(id);
  return {std::move(ids[0]), ids.size() > 1 ? std::move(ids[1]) : std::string(), split_at_zeros(translation)};
}

}  // namespace

Catalogue read_catalogue(std::span<const std::byte> bytes, const std::string& name) {
  const MoFile file(bytes, name);
  std::string charset = "UTF-8";
  Catalogue catalogue;
  for (std::size_t i = 0; i < file.count(); ++i) {
    if (!file.id(i).empty()) continue;
    charset = charset_of(file.translation(i));
    catalogue.plural_forms = read_plural_forms(file.translation(i));
  }
  const Decoder decoder(charset, name);
  for (std::size_t i = 0; i < file.count(); ++i) {
    if (file.id(i).empty()) continue;
    const auto id = decoder.decode(file.id(i));
    const auto translation = decoder.decode(file.translation(i));
    if (id && translation) {
      catalogue.messages.push_back(make_message(*id, *translation));
    } else {
      ++catalogue.broken;
    }
  }
  return catalogue;
}

}  // namespace heed::gettext
