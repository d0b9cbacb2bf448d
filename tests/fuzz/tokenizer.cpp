// Tokenizer files: SentencePiece's, and our own for text that is already tokenized.
#include "text/tokenizer.h"

#include <algorithm>

#include "fuzz.h"
#include "text/small_sentencepiece.h"

namespace heed::fuzz {
namespace {

constexpr const char* text = "a bc abc ab c\u2581\uac00 \xff";

std::string trained(TokenizerKind kind) {
  const std::vector<std::string> lines{"a bc abc ab c", "b ca cab abc d", "d e f ab abc"};
  const int vocab_size = kind == TokenizerKind::space ? 20 : 270;
  return train_tokenizer({kind, Normalization::identity, vocab_size}, lines)->serialised();
}

}  // namespace

std::vector<std::string> seeds() {
  return {small_sentencepiece(ModelType::unigram),
          small_sentencepiece(ModelType::bpe),
          small_sentencepiece(ModelType::word),
          small_sentencepiece(ModelType::character),
          trained(TokenizerKind::bpe),
          trained(TokenizerKind::unigram),
          trained(TokenizerKind::space)};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  attempt([&] {
    const auto tokenizer = read_tokenizer(std::string(text_of(data, size)), "input");
    const std::vector<int> ids = tokenizer->encode(text);
    for (const int id : ids) require(id >= 0 && id < tokenizer->size(), "a token is outside the vocabulary");
    require(tokenizer->pieces(ids).size() == ids.size(), "there are not as many pieces as tokens");
    require(tokenizer->word_numbers(ids).size() == ids.size(), "there are not as many words as tokens");
    tokenizer->decode(ids);
    std::vector<int> all;
    for (int id = 0; id < std::min(tokenizer->size(), 300); ++id) all.push_back(id);
    tokenizer->decode(all);
    tokenizer->id_of("</s>");
  });
  return 0;
}
