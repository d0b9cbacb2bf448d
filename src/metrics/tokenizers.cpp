#include "metrics/tokenizers.h"

#include "metrics/unicode.h"

namespace heed::metrics {
namespace {

bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_no_ascii_digit(char32_t c) { return !is_ascii_digit(c); }
bool is_period_or_comma(char32_t c) { return c == '.' || c == ','; }
bool is_dash(char32_t c) { return c == '-'; }
bool is_no_number(char32_t c) { return !is_number(c); }

// ASCII punctuation that 13a always separates: all except apostrophe, comma, dash and period.
bool is_lone_ascii_mark(char32_t c) {
  return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

template <class IsMark>
std::u32string set_apart(std::u32string_view text, IsMark is_mark) {
  std::u32string out;
  out.reserve(2 * text.size());
  for (const char32_t c : text) {
    if (is_mark(c)) {
      out += {U' ', c, U' '};
    } else {
      out += c;
    }
  }
  return out;
}

enum class Mark { first, second };

// Separates the mark in each pair of characters. Pairs are matched from left to right without overlap, like a regular
// expression; this affects runs such as "...", and scores depend on it.
template <Mark mark, class IsFirst, class IsSecond>
std::u32string set_apart_in_pairs(std::u32string_view text, IsFirst is_first, IsSecond is_second) {
  std::u32string out;
  out.reserve(2 * text.size());
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 1 == text.size() || !is_first(text[i]) || !is_second(text[i + 1])) {
      out += text[i++];
      continue;
    }
    if constexpr (mark == Mark::first) {
      out += {U' ', text[i], U' ', text[i + 1]};
    } else {
      out += {text[i], U' ', text[i + 1], U' '};
    }
    i += 2;
  }
  return out;
}

std::u32string tokenize_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  // In this order "&amp;lt;" becomes "<".
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  text.insert(text.begin(), U' ');
  text.push_back(U' ');
  text = set_apart(text, is_lone_ascii_mark);
  text = set_apart_in_pairs<Mark::second>(text, is_no_ascii_digit, is_period_or_comma);
  text = set_apart_in_pairs<Mark::first>(text, is_period_or_comma, is_no_ascii_digit);
  return set_apart_in_pairs<Mark::second>(text, is_ascii_digit, is_dash);
}

std::u32string tokenize_intl(std::u32string_view line) {
  std::u32string text = set_apart_in_pairs<Mark::second>(line, is_no_number, is_punctuation);
  text = set_apart_in_pairs<Mark::first>(text, is_punctuation, is_no_number);
  return set_apart(text, is_symbol);
}

std::u32string tokenize_characters(std::u32string_view line) {
  return set_apart(line, [](char32_t) { return true; });
}

}  // namespace

std::u32string tokenize(std::u32string_view line, Tokenizer tokenizer) {
  switch (tokenizer) {
    case Tokenizer::v13a: return tokenize_13a(line);
    case Tokenizer::intl: return tokenize_intl(line);
    case Tokenizer::character: return tokenize_characters(line);
    case Tokenizer::none: break;
  }
  return std::u32string(line);
}

}  // namespace heed::metrics
