// Text as code points, with the notions of space, case and class that sacreBLEU takes from Python.
//
// Pure functions; any thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::metrics {

// Bytes that are not UTF-8 become U+FFFD, one for each longest broken piece, as Python's errors='replace' does it.
std::u32string decode_utf8(std::string_view bytes);

// What Python's str.split() and str.rstrip() take for space; U+001C–U+001F and U+0085 are among it, U+200B is not.
bool is_space(char32_t c);

// Unicode's general categories P, S and N.
bool is_punctuation(char32_t c);
bool is_symbol(char32_t c);
bool is_number(char32_t c);

// Full lower-casing without a language: U+0130 becomes two characters, and a sigma at the end of a word a final one.
std::u32string lower(std::u32string_view text);

std::u32string_view without_trailing_space(std::u32string_view text);

// The words between stretches of space; views into `text`.
std::vector<std::u32string_view> split_words(std::u32string_view text);

}  // namespace heed::metrics
