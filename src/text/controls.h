// Control characters that do not belong in a line of text: C0 and C1 except the tab, DEL, U+2028, U+2029, the byte
// order mark and the zero-width space. Text must be valid UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The first control character in the text.
std::optional<char32_t> find_control(std::string_view text);

// The text without control characters; a line or page break becomes a space, except at the ends.
std::string without_controls(std::string_view text);

// Replaces every kind of line break, and other controls but tabs, with a space: the text is one line for any reader.
void blank_line_breaks(std::string& text);

}  // namespace heed
