// Vocabularies of other programs, and the order of their tokens in heed.
//
// heed's ids of special tokens are fixed (base/special_tokens.h) and other programs have others, so an import reorders
// the rows of all matrices that belong to a vocabulary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"

namespace heed::interchange {

struct Vocabulary {
  std::vector<std::string> tokens;  // by the other program's id, all different, valid UTF-8 without line ends
  Index unknown = -1;               // ids of the special tokens; −1: there is none
  Index start = -1;
  Index end = -1;
};

// The vocabulary of Marian's .yml or .json form (token: id) or its .txt form (one token per line), told apart by
// content. Throws Error, with `name` in its message, where ids are missing or repeated and where there is no </s> or
// <unk>.
Vocabulary read_vocabulary(const std::string& text, const std::string& name);

// Fills the special ids in by the tokens' names, and gives tokens with old names the usual ones. Throws Error if </s>
// or <unk> is missing.
void find_special_tokens(Vocabulary& vocabulary, const std::string& name);

constexpr Index no_row = -1;

// The output bias of ids that the other program does not have: low enough that they take no part of any probability
// that f32 can express, and not so low that label smoothing over them would swamp the loss of a fine-tuning.
constexpr float never_produced = -100.0f;

// One of heed's ids.
struct TokenRow {
  std::string token;
  Index from = no_row;   // the row of the other program's matrices that it takes; no_row: zeros
  bool produced = true;  // false for ids that the other program does not have, which a search must not find
};

// By heed's ids.
struct TokenOrder {
  std::vector<TokenRow> rows;

  Index size() const { return static_cast<Index>(rows.size()); }
};

// <unk>, <s>, </s>, then the others in their old order. `rows` is the number of rows that the matrices have: rows
// beyond the vocabulary, which some models have, get names of their own. Throws Error if the vocabulary is larger.
TokenOrder heed_order(const Vocabulary& vocabulary, Index rows, const std::string& name);

// The rows of a model that starts its decoder with one of them.
struct SpecialRows {
  Index start = no_row;    // what the decoder starts with; no_row: zeros, or this is not the decoder's vocabulary
  Index padding = no_row;  // never read nor produced, so it is left out
};
// Likewise, with <s> as a copy of the row that the decoder starts with. Where that is another token than <s>, it is not
// produced as <s>, and the old <s>, if there is one, gets a name of its own.
TokenOrder heed_order(const Vocabulary& vocabulary, Index rows, const SpecialRows& special, const std::string& name);

}  // namespace heed::interchange
