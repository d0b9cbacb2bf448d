// What pages carry: JSON that is safe inside a script element, and marks that are replaced by it.
#pragma once

#include <cassert>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed {

// JSON that is safe inside a script element, on one line: a "</script>" in a string cannot end the element, and bytes
// that are not UTF-8 become U+FFFD.
template <class Json>
std::string script_text(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

// Puts `text` in place of the mark, which the page must hold.
inline std::string replace_mark(std::string_view page, std::string_view mark, std::string_view text) {
  const std::size_t place = page.find(mark);
  assert(place != std::string_view::npos);
  std::string out(page.substr(0, place));
  out += text;
  out += page.substr(place + mark.size());
  return out;
}

}  // namespace heed
