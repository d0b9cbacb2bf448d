#include "text/tokenizer.h"

#include <fmt/format.h>

#include "heed/error.h"
#include "text/sentencepiece.h"
#include "text/space_tokenizer.h"

namespace heed {

std::vector<std::string> Tokenizer::pieces(std::span<const int> ids) const {
  std::vector<std::string> spelled;
  spelled.reserve(ids.size());
  for (const int id : ids) spelled.push_back(piece(id));
  return spelled;
}

std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options, std::span<const std::string> lines) {
  if (options.vocab_size < 4) {
    throw Error(
        fmt::format("vocab-size is {}; choose at least 4, since <unk>, <s> and </s> take three", options.vocab_size));
  }
  if (options.kind == TokenizerKind::space) return SpaceTokenizer::train(options, lines);
  return SentencePieceTokenizer::train(options, lines);
}

std::shared_ptr<const Tokenizer> read_tokenizer(const std::string& bytes, const std::string& name) {
  if (SpaceTokenizer::recognises(bytes)) return SpaceTokenizer::read(bytes, name);
  return SentencePieceTokenizer::read(bytes, name);
}

std::vector<int> Tokenizer::word_numbers(std::span<const int> ids) const {
  constexpr std::string_view mark = "\u2581";  // begins a word in SentencePiece
  constexpr std::string_view joint = "@@";     // in other tokenizers, ends a piece whose word continues
  std::vector<int> numbers;
  int word = 0;
  bool goes_on = true;
  for (const int id : ids) {
    const std::string text = piece(id);
    const bool begins = kind() == TokenizerKind::space ? !goes_on : text.starts_with(mark);
    if (begins && !numbers.empty()) ++word;
    goes_on = text.ends_with(joint);
    numbers.push_back(word);
  }
  return numbers;
}

}  // namespace heed
