// The tokenizers of a model folder: tokenizer.model for both languages, or source.model and target.model.
#pragma once

#include <filesystem>

#include "text/tokenizer.h"

namespace heed {

// With one shared vocabulary both point to the same tokenizer.
struct TokenizerPair {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;

  bool shared() const { return source == target; }
};

// Whether text has the same tokens with either.
bool same_tokenizers(const TokenizerPair& a, const TokenizerPair& b);

// Throws Error that names the file that is missing or damaged.
TokenizerPair load_tokenizers(const std::filesystem::path& folder);

// Also writes tokenizer.vocab (or source.vocab and target.vocab), the pieces one a line, for people.
void save_tokenizers(const TokenizerPair& tokenizers, const std::filesystem::path& folder);

}  // namespace heed
