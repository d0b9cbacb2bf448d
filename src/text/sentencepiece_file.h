// Validates a SentencePiece file before the library itself may read it.
//
// The library trusts the tables of its normalisation rules: it follows links and offsets without bounds checks and
// collects matches in fixed-size arrays. A crafted file could make it access any memory.
#pragma once

#include <string_view>

namespace heed {

// The score of pieces that an imported vocabulary has and its SentencePiece model has not. They are unused; lower than
// any merge of BPE, so that pieces of the model come together first.
constexpr float added_piece_score = -1e6f;

// False for a file that is truncated or contains such tables, scores that are not finite, or pieces with a NUL. The
// rest is left to the library to check.
bool is_safe_sentencepiece_file(std::string_view bytes);

}  // namespace heed
