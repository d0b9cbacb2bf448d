// An encoded corpus, up to the batches of an epoch. An input is everything after the checksum.
#include "data/encoded_corpus.h"

#include <cstring>

#include "base/hash.h"
#include "data/epoch.h"
#include "fuzz.h"

namespace heed::fuzz {
namespace {

const Folder& folder() {
  static const Folder only;
  return only;
}

constexpr std::size_t unchecked = 16;  // the magic and the checksum

std::string file_of(std::string_view input) {
  const std::string_view counts = input.substr(0, sizeof(EncodingCounts));
  Hash hash;
  hash.add(input.substr(counts.size()));
  hash.add(counts);
  const std::uint64_t checksum = hash.value();
  return "heedtok1" + std::string(reinterpret_cast<const char*>(&checksum), sizeof checksum) + std::string(input);
}

std::string input_with(Index pairs, Index source_tokens, Index target_tokens) {
  const EncodingCounts counts{.pairs = pairs, .source_tokens = source_tokens, .target_tokens = target_tokens};
  return std::string(reinterpret_cast<const char*>(&counts), sizeof counts) + std::string(8, '\0');
}

std::string encoded(const std::string& source, const std::string& target) {
  const std::vector<std::string> lines{source};
  const auto tokenizer = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 20}, lines);
  const CorpusFiles files{folder().write("source", source), folder().write("target", target)};
  const std::filesystem::path file = folder().path() / "encoded";
  ThreadPool threads(1);
  encode_corpus(files, {tokenizer, tokenizer}, {}, file, threads, [](double) {});
  return read_file(file).substr(unchecked);
}

}  // namespace

std::vector<std::string> seeds() {
  return {encoded("a b c\nb\nc c\n", "c b a\nb\na\n"), encoded("a\n", "a a\n"),
          // Their sizes once wrapped around 64 bits to that of the file.
          input_with(Index{1} << 60, 0, 0), input_with(0, Index{1} << 62, Index{1} << 62)};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  const std::filesystem::path file = folder().write("input", file_of(text_of(data, size)));
  attempt([&] {
    const EncodedCorpus corpus(file);
    const std::vector<WeightedCorpus> corpora{{&corpus, 1.0}};
    const Epoch epoch(corpora, {.batch_tokens = 4}, 1);
    for (Index i = 0; i < epoch.batches(); ++i) {
      for (const Epoch::Pair& pair : epoch.batch(i)) {
        Index sum = 0;
        for (const int token : corpus.source(pair.pair)) sum += token;
        for (const int token : corpus.target(pair.pair)) sum += token;
        require(sum != std::numeric_limits<Index>::min(), "tokens cannot be read");
      }
    }
  });
  return 0;
}
