// Vocabularies of other programs, settings, and SentencePiece models in another order.
#include "interchange/vocabulary.h"

#include "fuzz.h"
#include "interchange/sentencepiece_order.h"
#include "interchange/yaml_settings.h"
#include "text/small_sentencepiece.h"
#include "text/tokenizer.h"

namespace heed::fuzz {

std::vector<std::string> seeds() {
  return {"</s>: 0\n\"<unk>\": 1\n\"\\\"\\xe9\": 2\n? long\n: 3\n'it''s': 4\n~: 5\n",
          "</s>\n<unk>\na\nb\n<s>\n",
          "{\"eos\": 0, \"UNK\": 1, \"a\": 2}",
          "models:\n  - a.npz\nvocabs: [a, b]\nbeam-size: 6\nnormalize: 1\n",
          small_sentencepiece(ModelType::unigram),
          small_sentencepiece(ModelType::bpe)};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  using namespace heed::interchange;
  const std::string input(text_of(data, size));
  attempt([&] {
    const Vocabulary vocabulary = read_vocabulary(input, "input");
    const auto count = static_cast<Index>(vocabulary.tokens.size());
    const TokenOrder order = heed_order(vocabulary, count + 2, "input");
    require(order.size() >= count + 2, "tokens are missing");
  });
  attempt([&] {
    const YamlSettings settings(input, "input");
    settings.list("vocabs");
    settings.whole("beam-size", 1);
    settings.number("normalize", 1.0f);
    settings.text("models");
  });
  attempt([&] {
    TokenOrder order = heed_order(sentencepiece_vocabulary(input, "input"), 400, "input");
    order.rows.pop_back();
    add_missing_pieces(input, "input", order);
    const auto tokenizer = read_tokenizer(reordered_sentencepiece(input, order, "input"), "input");
    require(tokenizer->size() == order.size(), "pieces are missing");
    for (const int id : tokenizer->encode(">>a<< a bc"))
      require(id >= 0 && id < tokenizer->size(), "an id is too large");
  });
  return 0;
}
