#include "interchange/yaml_key.h"

#include <charconv>
#include <cstdint>

namespace heed::interchange {
namespace {

void append_utf8(std::uint32_t c, std::string& text) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](int shift) { add(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    rest(6);
  } else {
    add(0xf0 | c >> 18);
    rest(12);
    rest(6);
  }
  rest(0);
}

// \xNN, \uNNNN or \UNNNNNNNN: a character by its number.
bool append_numbered(std::string_view& rest, std::size_t digits, std::string& text) {
  if (rest.size() < digits) return false;
  std::uint32_t c = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + digits, c, 16);
  if (error != std::errc() || end != rest.data() + digits || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
  append_utf8(c, text);
  rest.remove_prefix(digits);
  return true;
}

bool append_escape(std::string_view& rest, std::string& text) {
  if (rest.empty()) return false;
  const char kind = rest.front();
  rest.remove_prefix(1);
  switch (kind) {
    case 'x': return append_numbered(rest, 2, text);
    case 'u': return append_numbered(rest, 4, text);
    case 'U': return append_numbered(rest, 8, text);
    case '0': text += '\0'; return true;
    case 'a': text += '\a'; return true;
    case 'b': text += '\b'; return true;
    case 't': text += '\t'; return true;
    case 'n': text += '\n'; return true;
    case 'v': text += '\v'; return true;
    case 'f': text += '\f'; return true;
    case 'r': text += '\r'; return true;
    case 'e': text += '\x1b'; return true;
    case 'N': append_utf8(0x85, text); return true;
    case '_': append_utf8(0xa0, text); return true;
    case 'L': append_utf8(0x2028, text); return true;
    case 'P': append_utf8(0x2029, text); return true;
    case '"':
    case '/':
    case ' ':
    case '\\': text += kind; return true;
    default: return false;
  }
}

bool parse_double_quoted(std::string_view rest, std::string& text) {
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"') return false;
    if (c != '\\') {
      text += c;
    } else if (!append_escape(rest, text)) {
      return false;
    }
  }
  return true;
}

// A quotation mark is written twice.
bool parse_single_quoted(std::string_view rest, std::string& text) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '\'' && (++i == rest.size() || rest[i] != '\'')) return false;
    text += rest[i];
  }
  return true;
}

}  // namespace

bool parse_yaml_key(std::string_view key, std::string& text) {
  text.clear();
  // White space around a key is not part of it.
  const std::size_t from = key.find_first_not_of(' ');
  if (from == std::string_view::npos) return false;
  key = key.substr(from, key.find_last_not_of(' ') + 1 - from);
  const char mark = key.front();
  const bool quoted = key.size() >= 2 && (mark == '"' || mark == '\'') && key.back() == mark;
  if (!quoted) {
    text = key;
    return true;
  }
  const std::string_view inside = key.substr(1, key.size() - 2);
  return mark == '"' ? parse_double_quoted(inside, text) : parse_single_quoted(inside, text);
}

}  // namespace heed::interchange
