#include "text/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace heed {
namespace {

// The length in bytes of the valid character that `text` begins with; 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) > 0x9f;
  const bool too_large = first == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

bool eight_ascii(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return (word & 0x8080808080808080) == 0;
}

// The characters with Unicode's White_Space property.
constexpr std::array<std::string_view, 25> white_space{
    "\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u0085", "\u00a0", "\u1680",
    "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
    "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && eight_ascii(text.data() + at)) {
      at += 8;
      continue;
    }
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string valid;
  while (const auto bad = find_invalid_utf8(text)) {
    valid.append(text.substr(0, *bad)).append("\xef\xbf\xbd");
    text.remove_prefix(*bad + 1);
  }
  return valid.append(text);
}

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&] { return static_cast<unsigned char>(text[at++]); };
  const unsigned first = byte();
  if (first < 0x80) return first;
  char32_t character = first >= 0xf0 ? first & 0x07 : first >= 0xe0 ? first & 0x0f : first & 0x1f;
  for (int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1; more > 0; --more)
    character = character << 6 | (byte() & 0x3f);
  return character;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const auto starts = [&](std::string_view space) { return text.starts_with(space); };
    const auto* const found = std::find_if(white_space.begin(), white_space.end(), starts);
    if (found == white_space.end()) return false;
    text.remove_prefix(found->size());
  }
  return true;
}

}  // namespace heed
