#include "text/controls.h"

#include "text/utf8.h"

namespace heed {
namespace {

bool is_control(char32_t c) {
  if (c < 0x20) return c != '\t';
  return (c >= 0x7f && c <= 0x9f) || c == 0x200b || c == 0x2028 || c == 0x2029 || c == 0xfeff;
}

bool breaks_line(char32_t c) { return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029; }

}  // namespace

std::optional<char32_t> find_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (is_control(c)) return c;
  }
  return std::nullopt;
}

std::string without_controls(std::string_view text) {
  std::string clean;
  bool space_due = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_character(text, at);
    if (is_control(c)) {
      space_due = space_due || breaks_line(c);
      continue;
    }
    if (space_due && !clean.empty()) clean += ' ';
    space_due = false;
    clean.append(text.substr(start, at - start));
  }
  return clean;
}

void blank_line_breaks(std::string& text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = ' ';
  }
  for (const std::string_view separator : {"\u0085", "\u2028", "\u2029"}) {
    for (std::size_t at = 0; (at = text.find(separator, at)) != std::string::npos;) {
      text.erase(at, separator.size() - 1);
      text[at] = ' ';
    }
  }
}

}  // namespace heed
