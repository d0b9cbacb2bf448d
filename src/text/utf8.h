// Strict UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The position of the first byte that is not valid UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Replaces every byte that is not valid UTF-8 by U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

// The character at `at` in valid UTF-8; advances `at` to the next one.
char32_t next_character(std::string_view text, std::size_t& at);

// The number of characters in valid UTF-8.
std::size_t count_characters(std::string_view text);
// Whether the text is empty or only Unicode white space.
bool is_blank(std::string_view text);

}  // namespace heed
