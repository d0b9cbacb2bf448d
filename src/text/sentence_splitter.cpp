#include "text/sentence_splitter.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "heed/error.h"

namespace heed {
namespace {

// Lower-case words whose period does not end a sentence. Those of single letters (z.B., U.S.) are recognised by rule.
constexpr std::array abbreviations{
    // Titles.
    "capt", "cmdr", "col", "dipl", "dr", "fr", "gen", "gov", "hon", "hr", "ing", "lt", "maj", "messrs", "mlle", "mme",
    "mr", "mrs", "ms", "msgr", "mx", "pres", "prof", "rep", "rev", "sen", "sgt", "st", "supt",
    // Places.
    "mt", "mts", "str",
    // Between the parts of a sentence.
    "abb", "allg", "approx", "bspw", "bzgl", "bzw", "ca", "cf", "chr", "dgl", "ebd", "eg", "einschl", "engl", "etw",
    "evtl", "exkl", "ggf", "hrsg", "ie", "inkl", "insb", "jh", "lat", "nr", "resp", "sog", "tel", "urspr", "vgl", "viz",
    "vs", "zzgl",
    // Months.
    "jan", "feb", "febr", "apr", "aug", "sept", "okt", "oct", "nov", "dez", "dec"};

// Words that are abbreviations only before a number: "No. 5", but "No. I will not."
constexpr std::array number_abbreviations{"abs", "art", "bd",  "ch", "eq", "fig", "figs", "kap",
                                          "no",  "nos", "num", "op", "pp", "sec", "vol",  "vols"};

// Initials that often end a sentence.
constexpr std::array ending_initials{"a.m", "p.m"};

// A German ordinal follows these words, or precedes a month: "am 3. Mai", "der 2. Weltkrieg", "1. Januar".
constexpr std::array before_ordinals{"ab",  "am", "beim", "bis",  "das", "dem", "den", "der",  "des",
                                     "die", "im", "ins",  "seit", "vom", "zum", "zur", "jeden"};
constexpr std::array months{"januar", "jänner", "februar",   "märz",    "april",    "mai",     "juni",
                            "juli",   "august", "september", "oktober", "november", "dezember"};

// Longer words are not abbreviations; the limit keeps looking back cheap.
constexpr std::size_t longest_word = 24;

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view other) { return other == word; });
}

// The character before `at`; moves `at` to its start. Invalid UTF-8 counts as a character without properties.
UChar32 previous(std::string_view text, std::size_t& at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto i = static_cast<std::int32_t>(at);
  UChar32 c = 0;
  U8_PREV(bytes, 0, i, c);
  at = static_cast<std::size_t>(i);
  return c;
}

UChar32 next(std::string_view text, std::size_t& at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto i = static_cast<std::int32_t>(at);
  const auto length = static_cast<std::int32_t>(text.size());
  UChar32 c = 0;
  U8_NEXT(bytes, i, length, c);
  at = static_cast<std::size_t>(i);
  return c;
}

USentenceBreak break_class(UChar32 c) {
  return c < 0 ? U_SB_OTHER : static_cast<USentenceBreak>(u_getIntPropertyValue(c, UCHAR_SENTENCE_BREAK));
}

bool is_word_character(UChar32 c) { return c >= 0 && (u_isalnum(c) || u_charType(c) == U_NON_SPACING_MARK); }
bool is_space(UChar32 c) { return c >= 0 && u_isUWhiteSpace(c); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower_case(std::string_view word) {
  std::string lower;
  for (std::size_t at = 0; at < word.size();) {
    const UChar32 c = next(word, at);
    char bytes[U8_MAX_LENGTH];
    std::int32_t length = 0;
    U8_APPEND_UNSAFE(bytes, length, u_tolower(c));
    lower.append(bytes, static_cast<std::size_t>(length));
  }
  return lower;
}

// The word of letters, digits and periods that ends at `end`; empty if there is none or it is too long.
std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && end - begin <= longest_word) {
    std::size_t at = begin;
    const UChar32 c = previous(text, at);
    if (!is_word_character(c) && c != '.') break;
    begin = at;
  }
  return end - begin <= longest_word ? text.substr(begin, end - begin) : std::string_view();
}

// The word of letters that begins at `begin`, up to a length that no month exceeds.
std::string_view word_after(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && end - begin <= longest_word) {
    std::size_t at = end;
    if (!is_word_character(next(text, at))) break;
    end = at;
  }
  return text.substr(begin, end - begin);
}

// Whether the word consists of single cased letters separated by periods: J, J.R.R, z.B, U.S
bool is_initials(std::string_view word) {
  bool letter_is_due = true;
  for (std::size_t at = 0; at < word.size(); letter_is_due = !letter_is_due) {
    const UChar32 c = next(word, at);
    const bool cased = c >= 0 && (u_isUUppercase(c) || u_isULowercase(c));
    if (letter_is_due ? !cased : c != '.') return false;
  }
  return !word.empty() && !letter_is_due;
}

// A position in the text where ICU sees the end of a sentence.
class Candidate {
 public:
  // The sentence that may end at `at` begins at `begin`.
  Candidate(std::string_view text, std::size_t begin, std::size_t at) : text_(text), begin_(begin), at_(at) {
    mark_end_ = at;
    std::size_t before = at;
    while (before > begin) {
      const UChar32 c = previous(text, before);
      const USentenceBreak kind = break_class(c);
      if (kind == U_SB_SEP || kind == U_SB_CR || kind == U_SB_LF) after_line_ = true;
      if (is_space(c)) {
        after_space_ = true;
      } else if (kind == U_SB_CLOSE) {
        after_close_ = true;
      } else {
        mark_ = c;
        return;
      }
      mark_end_ = before;
    }
  }

  bool ends_sentence() const {
    if (after_line_) return true;
    const bool ascii = mark_ == '.' || mark_ == '!' || mark_ == '?';
    if (ascii && !after_space_) return false;
    if ((ascii && !after_letter_without_case() && before_lower_case()) || continues_quotation()) return false;
    return mark_ != '.' || after_close_ || !(is_abbreviation() || is_ordinal());
  }

 private:
  // In a script without case, a lower-case letter of another script may begin a sentence: "없습니다. null은 …"
  bool after_letter_without_case() const {
    std::size_t before = mark_end_ - 1;
    return before > begin_ && break_class(previous(text_, before)) == U_SB_OLETTER;
  }

  // «"Stop!" he said.»
  bool before_lower_case() const {
    for (std::size_t at = at_; at < text_.size();) {
      const UChar32 c = next(text_, at);
      if (break_class(c) != U_SB_CLOSE) return c >= 0 && u_isULowercase(c);
      if (at - at_ > longest_word) break;
    }
    return false;
  }

  // 「はい。」と言った。
  bool continues_quotation() const {
    return after_close_ && !after_space_ &&
           (text_.substr(at_).starts_with("と") || text_.substr(at_).starts_with("って"));
  }

  std::string_view word() const { return word_before(text_.substr(begin_), mark_end_ - 1 - begin_); }

  bool is_abbreviation() const {
    const std::string lower = lower_case(word());
    if (is_initials(lower)) return !contains(ending_initials, lower);
    if (contains(number_abbreviations, lower)) return at_ < text_.size() && is_digit(text_[at_]);
    return contains(abbreviations, lower);
  }

  bool is_ordinal() const {
    constexpr std::size_t most_digits = 3;
    const std::string_view number = word();
    if (number.empty() || number.size() > most_digits || !std::all_of(number.begin(), number.end(), is_digit)) {
      return false;
    }
    const std::string_view before = text_.substr(begin_, mark_end_ - 1 - begin_ - number.size());
    std::size_t end = before.size();
    while (end > 0 && before[end - 1] == ' ') --end;
    const bool begins_sentence = end == 0;
    return begins_sentence || contains(before_ordinals, lower_case(word_before(before, end))) ||
           contains(months, lower_case(word_after(text_, at_)));
  }

  std::string_view text_;
  std::size_t begin_;
  std::size_t at_;
  std::size_t mark_end_;
  UChar32 mark_ = -1;  // the last character that is neither white space nor closing punctuation
  bool after_space_ = false;
  bool after_line_ = false;
  bool after_close_ = false;
};

bool has_word(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_word_character(next(text, at))) return true;
  }
  return false;
}

void check_icu(UErrorCode status) {
  if (U_SUCCESS(status)) return;
  throw Error(fmt::format("ICU cannot split sentences ({}); install its data files", u_errorName(status)));
}

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

// ICU sees no break between a period and a lower-case letter. Calls `candidate(at)` for such positions between `begin`
// and `end` where the period follows a letter of a script without case.
template <class Function>
void for_breaks_before_lower_case(std::string_view text, std::size_t begin, std::size_t end,
                                  const Function& candidate) {
  text = text.substr(0, end);
  for (std::size_t mark = text.find(". ", begin); mark != std::string_view::npos; mark = text.find(". ", mark + 1)) {
    std::size_t before = mark;
    if (before == 0 || break_class(previous(text, before)) != U_SB_OLETTER) continue;
    const std::size_t at = text.find_first_not_of(' ', mark + 1);
    if (at == std::string_view::npos) return;
    std::size_t after = at;
    const UChar32 c = next(text, after);
    if (c >= 0 && u_isULowercase(c)) candidate(at);
  }
}

// Calls `candidate(at)` for each break that ICU finds, including the end of the text, and for those it cannot see.
template <class Function>
void for_breaks(std::string_view text, const Function& candidate) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createSentenceInstance(icu::Locale::getRoot(), status));
  check_icu(status);
  const std::unique_ptr<UText, CloseText> view(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  check_icu(status);
  breaks->setText(view.get(), status);
  check_icu(status);
  std::size_t begin = 0;
  while (breaks->next() != icu::BreakIterator::DONE) {
    const auto end = static_cast<std::size_t>(breaks->current());
    for_breaks_before_lower_case(text, begin, end, candidate);
    candidate(end);
    begin = end;
  }
}

}  // namespace

std::vector<std::string_view> split_sentences(std::string_view text) {
  // ICU counts in 32 bits.
  if (text.size() > std::numeric_limits<std::int32_t>::max()) return {text};
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;    // of the sentence
  std::size_t checked = 0;  // no letter or digit between `begin` and this, unless `word` is set
  bool word = false;
  for_breaks(text, [&](std::size_t at) {
    word = word || has_word(text.substr(checked, at - checked));
    checked = at;
    if (at < text.size() && (!word || !Candidate(text, begin, at).ends_sentence())) return;
    if (word || sentences.empty()) {
      sentences.push_back(text.substr(begin, at - begin));
    } else {
      // Text without a word joins the previous sentence.
      const std::string_view last = sentences.back();
      sentences.back() = text.substr(static_cast<std::size_t>(last.data() - text.data()));
    }
    begin = at;
    word = false;
  });
  return sentences;
}

}  // namespace heed
