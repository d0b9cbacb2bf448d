// For text that is already split into pieces by white space; "@@" at the end of a piece joins it to the next.
#pragma once

#include <unordered_map>

#include "text/tokenizer.h"

namespace heed {

class SpaceTokenizer : public Tokenizer {
 public:
  // Takes the most frequent pieces; ties in byte order.
  static std::shared_ptr<const Tokenizer> train(const TokenizerOptions& options, std::span<const std::string> lines);
  static bool recognises(std::string_view bytes);
  static std::shared_ptr<const Tokenizer> read(const std::string& bytes, const std::string& name);
  explicit SpaceTokenizer(std::vector<std::string> pieces);

  TokenizerKind kind() const override { return TokenizerKind::space; }
  int size() const override { return static_cast<int>(pieces_.size()); }
  std::vector<int> encode(std::string_view line) const override;
  std::string decode(std::span<const int> ids) const override;
  std::string piece(int id) const override { return pieces_[static_cast<std::size_t>(id)]; }
  std::string serialised() const override;
  int id_of(std::string_view piece) const override;

 private:
  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int> ids_;
};

// Joins a line of pieces to text.
std::string join_pieces(std::string_view line);

}  // namespace heed
