// Which languages a text is written in, as CLD2 tells them. Any number of threads may ask.
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

// Whether two codes mean one language or two that a detector cannot keep apart: pt and pt-BR, hr and sr.
bool same_language(std::string_view one, std::string_view other);

// The languages of a text, the largest share first; nothing when the text is too short to tell, not UTF-8, or the
// detector is not sure. `expected`, if given, decides where the letters fit two languages, and text in another script
// than that language's may be shorter.
std::vector<LanguageShare> detect_languages(std::string_view text, const std::string& expected = {});

}  // namespace heed
