// Converts between text and token ids: SentencePiece (BPE or unigram), or text that is already split into pieces.
//
// A Tokenizer is immutable; any number of threads may use it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"

namespace heed {

enum class TokenizerKind { bpe, unigram, space };
template <>
struct EnumNames<TokenizerKind> {
  static constexpr std::array names{"bpe", "unigram", "space"};
};

enum class Normalization { nfkc, identity };  // identity: decoding restores every valid UTF-8 line byte for byte
template <>
struct EnumNames<Normalization> {
  static constexpr std::array names{"nfkc", "identity"};
};

struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;
  Normalization normalization = Normalization::nfkc;
  int vocab_size = 32000;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual TokenizerKind kind() const = 0;
  virtual int size() const = 0;
  // The ids of a line, without </s>. Invalid UTF-8 counts as U+FFFD.
  virtual std::vector<int> encode(std::string_view line) const = 0;
  virtual std::string decode(std::span<const int> ids) const = 0;
  virtual std::string piece(int id) const = 0;
  // The contents of a tokenizer file; read_tokenizer reads it back.
  virtual std::string serialised() const = 0;

  std::vector<std::string> pieces(std::span<const int> ids) const;
  // The number of the word that each piece belongs to, from 0.
  std::vector<int> word_numbers(std::span<const int> ids) const;
  // The id of a piece by its spelling; 0 (unknown) if there is none.
  virtual int id_of(std::string_view piece) const = 0;
};

// Learns from lines of text; the same lines and options give the same tokenizer on any machine. If the text does not
// suit the vocabulary size, throws Error with one that works.
std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options, std::span<const std::string> lines);

// Throws Error, with `name` in its message, if the bytes are not a tokenizer.
std::shared_ptr<const Tokenizer> read_tokenizer(const std::string& bytes, const std::string& name);

}  // namespace heed
