// UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The position of the first byte that does not belong to valid UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Every byte that does not belong to valid UTF-8 becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

// The character at `at` of valid UTF-8; `at` moves on to the next one.
char32_t next_character(std::string_view text, std::size_t& at);

// The characters of valid UTF-8.
std::size_t count_characters(std::string_view text);
// Whether there is nothing but Unicode's white space.
bool is_blank(std::string_view text);

}  // namespace heed
