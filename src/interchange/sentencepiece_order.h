// SentencePiece models with their pieces in another order.
//
// The library's ids are the pieces' places in the file, which carry no meaning: unigram models go by scores, BPE models
// too. So a model of another program, whose ids come from a vocabulary of its own or from SentencePiece with other
// special ids, is rewritten with its pieces in heed's order.
#pragma once

#include <string>
#include <string_view>

#include "interchange/vocabulary.h"

namespace heed::interchange {

// The pieces by id. Throws Error, with `name` in its message, if this is not a SentencePiece model with </s>.
Vocabulary sentencepiece_vocabulary(std::string_view model, const std::string& name);

// Appends a row for each piece that text can be split into and the order lacks. The other program takes such a piece
// for <unk>, so the row is a copy of that of <unk>; without the piece, text would be split elsewhere.
void add_missing_pieces(std::string_view model, const std::string& name, TokenOrder& order);

// The model with one piece for each token of the order. Tokens that it lacks become pieces that text is never split
// into, but that have a text of their own.
std::string reordered_sentencepiece(std::string_view model, const TokenOrder& order, const std::string& name);

}  // namespace heed::interchange
