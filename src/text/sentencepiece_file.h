// What has to be known of a SentencePiece file before SentencePiece itself may read it.
//
// The library trusts the tables of its normalisation rules: it follows their links and places wherever they lead, and
// gathers matches in arrays of a fixed size. A file that was not made by its trainer could send it anywhere.
#pragma once

#include <string_view>

namespace heed {

// False for a file that is cut short or holds such tables, scores that are not numbers, or pieces with a NUL inside.
// Whether the rest makes sense is left to the library.
bool is_safe_sentencepiece_file(std::string_view bytes);

}  // namespace heed
