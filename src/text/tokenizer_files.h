// The tokenizers of a model folder: tokenizer.model for both languages, or source.model and target.model.
#pragma once

#include <filesystem>
#include <map>
#include <string>

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

// What ties weights to their tokenizers, for the metadata of a file of weights: a fingerprint of each.
using TokenizerFacts = std::map<std::string, std::string>;
TokenizerFacts tokenizer_facts(const TokenizerPair& tokenizers);
// Throws Error when these are not the tokenizers that the weights were trained with, as far as `facts`, the metadata of
// a file of weights in this folder, tell.
void check_tokenizers(const std::filesystem::path& folder, const TokenizerPair& tokenizers,
                      const TokenizerFacts& facts);

// Throws Error that names the file that is missing or damaged.
TokenizerPair load_tokenizers(const std::filesystem::path& folder);

// Also writes tokenizer.vocab (or source.vocab and target.vocab), the pieces one a line, for people.
void save_tokenizers(const TokenizerPair& tokenizers, const std::filesystem::path& folder);

}  // namespace heed
