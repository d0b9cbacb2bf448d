// The tokenizers of a model folder: tokenizer.model for both languages, or source.model and target.model.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "text/tokenizer.h"

namespace heed {

// With a shared vocabulary both point to the same tokenizer.
struct TokenizerPair {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;

  bool shared() const { return source == target; }
};

// Whether both pairs tokenize text identically.
bool same_tokenizers(const TokenizerPair& a, const TokenizerPair& b);

// Fingerprints of the tokenizers for the metadata of a weights file, which tie weights to their tokenizers.
using TokenizerFacts = std::map<std::string, std::string>;
TokenizerFacts tokenizer_facts(const TokenizerPair& tokenizers);
// Throws Error if these are not the tokenizers that the weights were trained with, according to `facts`, the metadata
// of a weights file in this folder.
void check_tokenizers(const std::filesystem::path& folder, const TokenizerPair& tokenizers,
                      const TokenizerFacts& facts);

// Throws Error that names a missing or damaged file.
TokenizerPair load_tokenizers(const std::filesystem::path& folder);

// Also writes tokenizer.vocab (or source.vocab and target.vocab), one piece per line, for human readers.
void save_tokenizers(const TokenizerPair& tokenizers, const std::filesystem::path& folder);

}  // namespace heed
