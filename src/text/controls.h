// Control characters that have no place in a line of text: C0 and C1 but for the tab, DEL, U+2028, U+2029, the byte
// order mark and the zero-width space. Text must be valid UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The first one in the text.
std::optional<char32_t> find_control(std::string_view text);

// The text without them; one that breaks a line or a page becomes a space, unless it stands at the end.
std::string without_controls(std::string_view text);

}  // namespace heed
