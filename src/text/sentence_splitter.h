// Splits text into sentences.
//
// Candidates are ICU's sentence breaks (Unicode Standard Annex 29), and those before lower-case letters in scripts
// without case. Rejected are those after abbreviations, initials and ordinals ("Dr. Kim", "z. B. Äpfel", "No. 5",
// "am 1. Januar"), others before a lower-case letter, and those without white space after '.', '!' or '?'. Other marks,
// such as 。！？, need no white space. When in doubt there is no break: a sentence that is too long does less harm than
// one that is split. Language-independent, linear in the length of the text, thread-safe.
#pragma once

#include <string_view>
#include <vector>

namespace heed {

// Consecutive views that cover all of `text`. White space after a sentence belongs to it, and each sentence contains a
// letter or a digit, unless the whole text has none. Any bytes are allowed; a valid UTF-8 character is never split.
// Empty for empty text; text of 2 GB or more is one sentence.
std::vector<std::string_view> split_sentences(std::string_view text);

}  // namespace heed
