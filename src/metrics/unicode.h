// Text as code points, with Python's definitions of space, case and character class, as sacreBLEU uses them.
//
// Pure functions; any thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::metrics {

// Invalid UTF-8 becomes U+FFFD, one per maximal invalid part, like Python's errors='replace'.
std::u32string decode_utf8(std::string_view bytes);

// White space by Python's str.split() and str.rstrip(), which includes U+001C–U+001F and U+0085 but not U+200B.
bool is_space(char32_t c);

// Unicode's general categories P, S and N.
bool is_punctuation(char32_t c);
bool is_symbol(char32_t c);
bool is_number(char32_t c);

// Full lower-casing for no particular language: U+0130 becomes two characters, word-final sigma a final one.
std::u32string lower(std::u32string_view text);

std::u32string_view without_trailing_space(std::u32string_view text);

// The words separated by white space, as views into `text`.
std::vector<std::u32string_view> split_words(std::u32string_view text);

}  // namespace heed::metrics
