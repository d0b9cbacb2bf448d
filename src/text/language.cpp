#include "text/language.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <algorithm>
#include <array>

namespace heed {
namespace {

// Below this many bytes of letters CLD2 only guesses; a distinctive script identifies a language sooner.
constexpr int fewest_bytes = 40;
constexpr int fewest_latin_bytes = 80;
// More text than this does not improve the answer.
constexpr std::size_t most_bytes = 2000;

std::string_view family(std::string_view code) {
  static constexpr std::array<std::array<std::string_view, 4>, 3> confusable{
      {{"no", "nb", "nn", "da"}, {"hr", "sr", "bs", "sh"}, {"id", "ms", "", ""}}};
  code = code.substr(0, code.find_first_of("-_"));
  if (code == "iw") return "he";
  if (code == "jv") return "jw";
  for (const auto& group : confusable) {
    if (std::find(group.begin(), group.end(), code) != group.end()) return group[0];
  }
  return code;
}

// CLD2's code for a language. With simplified Chinese as a hint, it takes traditional Chinese for Japanese, but not the
// other way round.
std::string cld2_code(const std::string& code) {
  const std::string_view plain = family(code);
  if (plain == "zh") return "zh-Hant";
  if (plain == "jw") return "jw";
  std::string dashed = code;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed;
}

CLD2::Language language_of(const std::string& code) { return CLD2::GetLanguageFromName(cld2_code(code).c_str()); }

bool is_latin(CLD2::Language language) { return CLD2::LanguageRecognizedScript(language, 0) == CLD2::ULScript_Latin; }

std::string_view beginning(std::string_view text) {
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

bool knows_language(const std::string& code) { return !code.empty() && language_of(code) != CLD2::UNKNOWN_LANGUAGE; }

bool same_language(std::string_view one, std::string_view other) { return family(one) == family(other); }

std::vector<LanguageShare> detect_languages(std::string_view text, const std::string& expected) {
  text = beginning(text);
  const std::string hint = cld2_code(expected);
  const CLD2::CLDHints hints{expected.empty() ? nullptr : hint.c_str(), nullptr, CLD2::UNKNOWN_ENCODING,
                             CLD2::UNKNOWN_LANGUAGE};
  constexpr bool plain_text = true;
  CLD2::Language languages[3];
  int percents[3];
  double scores[3];
  int letter_bytes = 0;
  int valid_bytes = 0;
  bool reliable = false;
  CLD2::ExtDetectLanguageSummaryCheckUTF8(text.data(), static_cast<int>(text.size()), plain_text, &hints, 0, languages,
                                          percents, scores, nullptr, &letter_bytes, &reliable, &valid_bytes);
  std::vector<LanguageShare> found;
  const bool latin = is_latin(languages[0]) && (expected.empty() || is_latin(language_of(expected)));
  if (!reliable || letter_bytes < (latin ? fewest_latin_bytes : fewest_bytes)) return found;
  for (std::size_t i = 0; i < 3; ++i) {
    if (languages[i] != CLD2::UNKNOWN_LANGUAGE) found.push_back({CLD2::LanguageCode(languages[i]), percents[i]});
  }
  return found;
}

}  // namespace heed
