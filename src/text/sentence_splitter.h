// Cuts text into sentences.
//
// Candidates are ICU's sentence breaks (Unicode Standard Annex 29), and those before lower-case letters in scripts
// without case. We reject those after abbreviations, initials and ordinals ("Dr. Kim", "z. B. Äpfel", "No. 5", "am 1.
// Januar"), other ones before a lower-case letter, and those without white space after '.', '!' or '?'. After other
// marks, such as 。！？, no white space is needed. In doubt there is no break: a sentence that is too long does less
// harm than one that is torn apart. Needs no language, takes time linear in the text, and may be called by any thread.
#pragma once

#include <string_view>
#include <vector>

namespace heed {

// Views of `text` that follow each other and together are all of it; the white space after a sentence belongs to it,
// and each holds a letter or a digit unless there is none in the whole text. Any bytes are allowed; a character of
// valid UTF-8 is never cut. Empty for empty text; text of 2 GB or more is one sentence.
std::vector<std::string_view> split_sentences(std::string_view text);

}  // namespace heed
