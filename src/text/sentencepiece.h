// SentencePiece's BPE and unigram models, with byte fallback for characters outside the vocabulary.
#pragma once

#include "text/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace heed {

class SentencePieceTokenizer final : public Tokenizer {
 public:
  static std::shared_ptr<const Tokenizer> train(const TokenizerOptions& options, std::span<const std::string> lines);
  static std::shared_ptr<const Tokenizer> read(const std::string& bytes, const std::string& name);
  SentencePieceTokenizer(const std::string& bytes, const std::string& name);
  ~SentencePieceTokenizer() override;

  TokenizerKind kind() const override { return kind_; }
  int size() const override;
  std::vector<int> encode(std::string_view line) const override;
  std::string decode(std::span<const int> ids) const override;
  std::string piece(int id) const override;
  std::string serialised() const override { return bytes_; }
  int id_of(std::string_view piece) const override;

 private:
  void take_language_token(std::string_view& line, std::vector<int>& ids) const;
  void name_unknown(std::string_view text, std::vector<int>& ids) const;
  bool is_added(int id) const;
  void append(std::string_view text, std::vector<int>& ids) const;

  std::string bytes_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  TokenizerKind kind_;
  // The byte pieces of U+2581, SentencePiece's mark for a space; empty if the model has no byte pieces or does not
  // preserve white space anyway.
  std::vector<int> space_mark_;
};

}  // namespace heed
