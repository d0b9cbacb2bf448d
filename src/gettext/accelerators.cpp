#include "gettext/accelerators.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace heed::gettext {
namespace {

// Labels are short; in longer texts a single mark is part of a name.
constexpr int most_words = 8;

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_key(char c) { return is_alphanumeric(c) || (static_cast<unsigned char>(c) & 0x80) != 0; }
bool is_word(char c) { return is_key(c) || c == '_'; }

// Removes "(_F)" and a space before it.
bool remove_suffix(std::string& text, char mark) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    if (at == 0 || at + 2 >= text.size() || text[at - 1] != '(' || text[at + 2] != ')') continue;
    if (!is_alphanumeric(text[at + 1])) continue;
    const std::size_t start = at >= 2 && text[at - 2] == ' ' ? at - 2 : at - 1;
    text.erase(start, at + 3 - start);
    return true;
  }
  return false;
}

// An HTML entity such as &amp; is not a mark.
bool is_entity(std::string_view text) {
  const auto end = std::find_if_not(text.begin() + 1, text.end(), is_alphanumeric);
  return end != text.end() && *end == ';';
}

// The position of the only such character in the text, if it can be a mark.
std::optional<std::size_t> find_mark(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos || text.find(mark, at + 1) != std::string::npos) return std::nullopt;
  if (at + 1 >= text.size() || !is_key(text[at + 1])) return std::nullopt;
  if (mark == '&' && is_entity(std::string_view(text).substr(at))) return std::nullopt;
  return at;
}

std::string_view word_around(std::string_view text, std::size_t at) {
  std::size_t start = at;
  std::size_t end = at + 1;
  while (start > 0 && is_word(text[start - 1])) --start;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(start, end - start);
}

bool inside_word(std::string_view text, std::size_t at) { return at > 0 && is_word(text[at - 1]); }

// Decides without a mark in the translation: "_File" and "E_xit" have keys, "file_name", "R&D" and "~10" do not.
bool can_be_key(std::string_view text, std::size_t at) {
  const char key = text[at + 1];
  if (!inside_word(text, at)) return key < '0' || key > '9';
  const char first = word_around(text, at).front();
  return key >= 'a' && key <= 'z' && first >= 'A' && first <= 'Z';
}

void remove_mark(std::string& source, std::string& target, char mark) {
  const bool suffix = remove_suffix(target, mark) | remove_suffix(source, mark);
  const auto in_source = find_mark(source, mark);
  const auto in_target = find_mark(target, mark);
  if (in_source && in_target) {
    // file_name translated as file_name is a name.
    const bool name =
        inside_word(source, *in_source) && word_around(source, *in_source) == word_around(target, *in_target);
    if (name) return;
    source.erase(*in_source, 1);
    target.erase(*in_target, 1);
    return;
  }
  const bool target_has_any = target.find(mark) != std::string::npos;
  const bool label = std::count(source.begin(), source.end(), ' ') < most_words;
  if (in_source && (suffix || (label && !target_has_any && can_be_key(source, *in_source)))) {
    source.erase(*in_source, 1);
  }
}

}  // namespace

void remove_accelerators(std::string& source, std::string& target) {
  for (const char mark : {'_', '&', '~'}) remove_mark(source, target, mark);
}

}  // namespace heed::gettext
