#include "metrics/unicode.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <span>

#include "metrics/recent_characters.h"

namespace heed::metrics {
namespace {

bool has_category(char32_t c, std::uint32_t categories, std::span<const CharacterRange> recent) {
  const std::uint32_t category = U_GET_GC_MASK(static_cast<UChar32>(c));
  if (category != U_GC_CN_MASK) return (category & categories) != 0;
  return std::any_of(recent.begin(), recent.end(), [c](CharacterRange r) { return c >= r.first && c <= r.last; });
}

}  // namespace

std::u32string decode_utf8(std::string_view bytes) {
  std::u32string text;
  text.reserve(bytes.size());
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::size_t size = bytes.size();
  for (std::size_t i = 0; i < size;) {
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(data, i, size, c);
    text.push_back(static_cast<char32_t>(c));
  }
  return text;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_punctuation(char32_t c) { return has_category(c, U_GC_P_MASK, recent_punctuation); }

bool is_symbol(char32_t c) { return has_category(c, U_GC_S_MASK, recent_symbols); }

bool is_number(char32_t c) { return has_category(c, U_GC_N_MASK, recent_numbers); }

std::u32string lower(std::u32string_view text) {
  static_assert(sizeof(UChar32) == sizeof(char32_t));
  icu::UnicodeString units = icu::UnicodeString::fromUTF32(reinterpret_cast<const UChar32*>(text.data()),
                                                           static_cast<std::int32_t>(text.size()));
  units.toLower(icu::Locale::getRoot());
  std::u32string lowered;
  lowered.reserve(text.size());
  for (std::int32_t i = 0; i < units.length(); i = units.moveIndex32(i, 1)) {
    lowered.push_back(static_cast<char32_t>(units.char32At(i)));
  }
  return lowered;
}

std::u32string_view without_trailing_space(std::u32string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::u32string_view> split_words(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  auto end = text.begin();
  while (true) {
    const auto begin = std::find_if_not(end, text.end(), is_space);
    if (begin == text.end()) return words;
    end = std::find_if(begin, text.end(), is_space);
    words.emplace_back(begin, end);
  }
}

}  // namespace heed::metrics
