// Language detection with CLD2. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct LanguageShare {
  std::string code;  // "en", "zh-Hant"
  int percent = 0;   // of the text's letters
};

// Whether the detector knows a code such as en, de or ko.
bool knows_language(const std::string& code);

// Whether two codes name the same language, or two that a detector cannot tell apart: pt and pt-BR, hr and sr.
bool same_language(std::string_view one, std::string_view other);

// The languages of a text, the largest share first; empty if the text is too short, not UTF-8, or the detector is
// unsure. `expected`, if given, is a hint for ambiguous text, and text in a different script than that language's may
// be shorter.
std::vector<LanguageShare> detect_languages(std::string_view text, const std::string& expected = {});

}  // namespace heed
