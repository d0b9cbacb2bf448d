// Vocabularies of CTranslate2: a JSON list of tokens, or one token per line.
#pragma once

#include "interchange/vocabulary.h"

namespace heed::interchange {

// How the special tokens are spelt.
struct SpecialNames {
  std::string unknown = "<unk>";
  std::string start = "<s>";
  std::string end = "</s>";
};

// Where the token for unknown pieces is missing, the row after the last token is its, as in CTranslate2. Throws Error,
// with `name` in its message, where tokens are repeated or there is none for the end.
Vocabulary read_token_list(std::string_view text, const SpecialNames& special, const std::string& name);

}  // namespace heed::interchange
