#include "text/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace heed {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view name_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";

bool is_in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// The length of the text's longest prefix of characters in the set.
std::size_t run(std::string_view text, std::string_view set) {
  const std::size_t end = text.find_first_not_of(set);
  return end == std::string_view::npos ? text.size() : end;
}

// An item at the beginning of the text and its length in bytes; 0: none.
struct Match {
  std::size_t length = 0;
  std::string name;
};

// %d, %-5.2f, %1$s, %zu, %(name)s: the position is dropped, so that a translation may reorder them. A space is not a
// flag here, or "100% done" would contain one.
Match printf_placeholder(std::string_view text) {
  const std::size_t word = run(text.substr(1), capitals);
  if (word >= 2) return {1 + word, std::string(text.substr(0, 1 + word))};
  std::size_t at = 1;
  const std::size_t position = run(text.substr(at), digits);
  if (position > 0 && at + position < text.size() && text[at + position] == '$') at += position + 1;
  const std::size_t start = at;
  if (text.substr(at).starts_with('(')) {
    const std::size_t name = run(text.substr(at + 1), name_characters);
    if (name == 0 || at + 1 + name >= text.size() || text[at + 1 + name] != ')') return {};
    at += name + 2;
  }
  at += run(text.substr(at), "-+#0'");
  at += run(text.substr(at), "0123456789*.");
  at += run(text.substr(at), "hlLqjzt");
  if (at >= text.size() || !is_in(text[at], "diouxXeEfFgGaAcCsSpnm@")) return {};
  return {at + 1, fmt::format("%{}", text.substr(start, at + 1 - start))};
}

// {0}, {name}, {{name}}: without spaces, which would be code.
Match braced(std::string_view text) {
  const std::size_t open = run(text, "{");
  const std::size_t name = run(text.substr(open), name_characters);
  const std::size_t end = open + name;
  if (name == 0 || run(text.substr(end), "}") < open) return {};
  return {end + open, std::string(text.substr(0, end + open))};
}

// ${name}, $(name), $name$
Match dollar(std::string_view text) {
  if (text.size() < 3) return {};
  const char open = text[1];
  const bool bare = is_in(open, letters);
  if (!bare && open != '{' && open != '(') return {};
  const std::size_t start = bare ? 1 : 2;
  const std::size_t end = start + run(text.substr(start), name_characters);
  const char close = bare ? '$' : open == '{' ? '}' : ')';
  if (end == start || end >= text.size() || text[end] != close) return {};
  return {end + 1, std::string(text.substr(0, end + 1))};
}

Match placeholder(std::string_view text) {
  switch (text[0]) {
    case '%':
      if (text.starts_with("%%")) return {2, {}};
      return text.size() > 1 ? printf_placeholder(text) : Match{};
    case '{': return braced(text);
    case '$': return dollar(text);
    default: return {};
  }
}

// <b>, </b>, <img src="…">: only the name counts, since attributes may be translated.
Match tag(std::string_view text) {
  std::size_t at = text.starts_with("</") ? 2 : 1;
  if (at >= text.size() || !is_in(text[at], letters)) return {};
  at += run(text.substr(at), name_characters);
  const std::string name(text.substr(0, at));
  const std::size_t end = text.find_first_of("<>", at);
  if (end == std::string_view::npos || text[end] != '>') return {};
  return {end + 1, fmt::format("{}>", name)};
}

template <class Find>
std::vector<std::string> collect(std::string_view text, std::string_view starts, const Find& find) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find_first_of(starts, at)) != std::string_view::npos;) {
    Match match = find(text.substr(at));
    at += std::max<std::size_t>(match.length, 1);
    if (!match.name.empty()) found.push_back(std::move(match.name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

void describe_rest(const std::vector<std::string>& one, const std::vector<std::string>& other, const char* side,
                   std::string& text) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> rest;
  std::set_difference(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(rest));
  if (rest.empty()) return;
  if (!text.empty()) text += ", ";
  for (std::size_t i = 0; i < std::min(rest.size(), most_named); ++i) text.append(rest[i]).append(" ");
  if (rest.size() > most_named) text += fmt::format("and {} more ", rest.size() - most_named);
  text.append("only in the ").append(side);
}

}  // namespace

std::vector<std::string> placeholders(std::string_view text) { return collect(text, "%{$", placeholder); }

std::vector<std::string> markup(std::string_view text) {
  return collect(text, "%{$<[]", [](std::string_view rest) -> Match {
    if (rest[0] == '[' || rest[0] == ']') return {1, std::string(1, rest[0])};
    return rest[0] == '<' ? tag(rest) : placeholder(rest);
  });
}

std::string unbalanced_markup(std::string_view text) {
  const std::vector<std::string> marks = collect(text, "<[]", [](std::string_view rest) -> Match {
    if (rest[0] != '<') return {1, std::string(1, rest[0])};
    const Match found = tag(rest);
    const bool closes_itself = rest.substr(0, found.length).ends_with("/>");
    return {found.length, closes_itself ? std::string() : found.name};
  });
  static const std::vector<std::string> alone{"<area>", "<br>",   "<col>",   "<embed>",  "<hr>",    "<img>", "<input>",
                                              "<link>", "<meta>", "<param>", "<source>", "<track>", "<wbr>"};
  const auto count = [&](const std::string& mark) { return std::count(marks.begin(), marks.end(), mark); };
  if (count("[") != count("]")) return count("[") > count("]") ? "'[' is not closed" : "']' was not opened";
  for (const std::string& mark : marks) {
    if (!mark.starts_with('<') || std::find(alone.begin(), alone.end(), mark) != alone.end()) continue;
    const bool closes = mark.starts_with("</");
    const std::string partner = closes ? fmt::format("<{}", mark.substr(2)) : fmt::format("</{}", mark.substr(1));
    if (count(mark) > count(partner)) return fmt::format("{} {}", mark, closes ? "was not opened" : "is not closed");
  }
  return {};
}

std::string markup_difference(const std::vector<std::string>& source, const std::vector<std::string>& target) {
  std::string text;
  describe_rest(source, target, "source", text);
  describe_rest(target, source, "target", text);
  return text;
}

}  // namespace heed
