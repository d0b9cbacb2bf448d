#include "data/corpus.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/files.h"
#include "data/encoded_corpus.h"
#include "data/epoch.h"
#include "data/in_folder.h"
#include "heed/error.h"

namespace heed {
namespace {

CorpusFiles write_corpus(const std::string& source, const std::string& target) {
  write_file(in_folder("source"), source);
  write_file(in_folder("target"), target);
  return {in_folder("source"), in_folder("target")};
}

std::string message_of(const CorpusFiles& files) {
  try {
    survey(files, [](double) {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' should contain '" << part << "'";
}

TEST(Corpus, DifferentLineCountsNameBothFilesAndCounts) {
  const std::string message = message_of(write_corpus("a\nb\nc\n", "x\n"));
  expect_in(message, "source' has 3 lines");
  expect_in(message, "target' has 1;");
}

TEST(Corpus, InvalidTextNamesFileLineAndByte) {
  expect_in(message_of(write_corpus("a\nb\n", "x\nab\xff\n")), "target': line 2 is not UTF-8 (byte 3)");
}

TEST(Corpus, ATsvLineNeedsExactlyOneTab) {
  write_file(in_folder("tsv"), "a\tb\nno tab\n");
  expect_in(message_of({in_folder("tsv"), ""}), "line 2 has 0 tabs");
  expect_in(message_of({in_folder("tsv"), ""}), "pass it with --target (--valid-target for validation)");
  write_file(in_folder("tsv"), "a\tb\nx\ty\r\n");
  PairReader reader({in_folder("tsv"), ""});
  std::string source, target;
  EXPECT_TRUE(reader.next(source, target));
  EXPECT_TRUE(reader.next(source, target));
  EXPECT_EQ(source, "x");
  EXPECT_EQ(target, "y");
  EXPECT_FALSE(reader.next(source, target));
}

TEST(Corpus, TheFingerprintFollowsTheText) {
  const auto fingerprint = [](const std::string& a, const std::string& b) {
    return survey(write_corpus(a, b), [](double) {}).fingerprint;
  };
  EXPECT_EQ(fingerprint("a\nb\n", "x\ny\n"), fingerprint("a\nb\n", "x\ny"));
  EXPECT_NE(fingerprint("a\nb\n", "x\ny\n"), fingerprint("a\nb\n", "x\nz\n"));
  EXPECT_NE(fingerprint("a\nb\n", "x\ny\n"), fingerprint("ab\n\n", "x\ny\n"));
}

TEST(Corpus, ASampleIsDrawnByTheSeedInTheOrderOfTheText) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{:04}\n", i);
  const CorpusFiles files = write_corpus(text, text);
  const auto sample = sample_lines({&files, 1}, Side::source, {100, 5});
  EXPECT_EQ(sample.size(), 100u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(sample, sample_lines({&files, 1}, Side::source, {100, 5}));
  EXPECT_NE(sample, sample_lines({&files, 1}, Side::source, {100, 6}));
  EXPECT_EQ(sample_lines({&files, 1}, std::nullopt, {5000, 5}).size(), 2000u);
}

// A corpus of pairs of different lengths: pair i has i % 17 + 1 source pieces and i % 13 + 1 target pieces.
class EncodedPairs : public testing::Test {
 protected:
  EncodedPairs() {
    std::string source, target;
    for (int i = 0; i < 500; ++i) {
      for (int k = 0; k <= i % 17; ++k) source += fmt::format("s{} ", i);
      for (int k = 0; k <= i % 13; ++k) target += fmt::format("t{} ", i);
      source += '\n';
      target += '\n';
    }
    files = write_corpus(source + "\nlong\n", target + "empty\n" + std::string(40, 'x') + "\n");
    const auto tokenizer = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 2000},
                                           sample_lines({&files, 1}, std::nullopt, {5000, 1}));
    tokenizers = {tokenizer, tokenizer};
    encode(2);
  }
  void encode(int threads) {
    ThreadPool pool(threads);
    encode_corpus(files, tokenizers, {.max_length = 16}, in_folder("tokens"), pool, [](double) {});
  }

  CorpusFiles files;
  TokenizerPair tokenizers;
};

TEST_F(EncodedPairs, TokensComeBackAndNothingIsDroppedInSilence) {
  const EncodedCorpus corpus(in_folder("tokens"));
  EXPECT_EQ(corpus.counts().empty, 1);
  EXPECT_EQ(corpus.counts().too_long, 29);  // those of 17 pieces
  EXPECT_EQ(corpus.counts().pairs, 472);
  EXPECT_EQ(corpus.counts().unknown, 0);
  const auto first = corpus.source(1);
  EXPECT_EQ(std::vector<int>(first.begin(), first.end()),
            (std::vector<int>{tokenizers.source->id_of("s1"), tokenizers.source->id_of("s1"), 2}));
}

TEST_F(EncodedPairs, TheUsualSourceLengthCoversAllButOnePairInAThousand) {
  const auto length_with = [&](int long_pairs) {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += i < long_pairs ? "s1 s1 s1 s1 s1 s1 s1 s1 s1\n" : "s1 s1 s1\n";
    files = write_corpus(text, text);
    encode(1);
    const EncodedCorpus corpus(in_folder("tokens"));
    return usual_source_length({&corpus, 1});
  };
  EXPECT_EQ(length_with(0), 3);
  EXPECT_EQ(length_with(2), 3);
  EXPECT_EQ(length_with(3), 9);
  EXPECT_EQ(usual_source_length({}), 0);
}

TEST_F(EncodedPairs, AnyNumberOfThreadsWritesTheSameFile) {
  const std::string two = read_file(in_folder("tokens"));
  encode(1);
  EXPECT_EQ(read_file(in_folder("tokens")), two);
}

TEST_F(EncodedPairs, TruncatedOrAlteredFilesAreRefused) {
  const std::string bytes = read_file(in_folder("tokens"));
  for (std::size_t cut = 0; cut < bytes.size(); cut += 1009) {
    write_file(in_folder("damaged"), bytes.substr(0, cut));
    EXPECT_THROW(EncodedCorpus{in_folder("damaged")}, Error) << cut;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 997) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 4);
    write_file(in_folder("damaged"), altered);
    EXPECT_THROW(EncodedCorpus{in_folder("damaged")}, Error) << at;
  }
}

std::multiset<std::uint32_t> pairs_of(const Epoch& epoch) {
  std::multiset<std::uint32_t> pairs;
  for (Index i = 0; i < epoch.batches(); ++i) {
    for (const Epoch::Pair& pair : epoch.batch(i)) pairs.insert(pair.pair);
  }
  return pairs;
}

TEST_F(EncodedPairs, AnEpochHoldsEveryPairOnceWithinTheBudget) {
  const EncodedCorpus corpus(in_folder("tokens"));
  const WeightedCorpus all{&corpus, 1.0};
  const Epoch epoch({&all, 1}, {.batch_tokens = 60, .seed = 3}, 1);
  const auto pairs = pairs_of(epoch);
  EXPECT_EQ(pairs.size(), 472u);
  EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), 472u);
  for (Index i = 0; i < epoch.batches(); ++i) {
    std::size_t tokens = 0;
    std::size_t shortest = 1000, longest = 0;
    for (const Epoch::Pair& pair : epoch.batch(i)) {
      const std::size_t length = corpus.target(pair.pair).size();
      tokens += length;
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    EXPECT_LE(tokens, 60u);
    EXPECT_LE(longest - shortest, 2u);  // similar lengths together
  }
}

TEST_F(EncodedPairs, EachEpochIsANewShuffleOfTheSeed) {
  const EncodedCorpus corpus(in_folder("tokens"));
  const WeightedCorpus all{&corpus, 1.0};
  const auto order = [&](std::uint64_t seed, Index number) {
    const Epoch epoch({&all, 1}, {.batch_tokens = 60, .seed = seed}, number);
    std::vector<std::uint32_t> flat;
    for (Index i = 0; i < epoch.batches(); ++i) {
      for (const Epoch::Pair& pair : epoch.batch(i)) flat.push_back(pair.pair);
    }
    return flat;
  };
  EXPECT_EQ(order(3, 1), order(3, 1));
  EXPECT_NE(order(3, 1), order(3, 2));
  EXPECT_NE(order(3, 1), order(4, 1));
}

TEST_F(EncodedPairs, WeightsRepeatAndSample) {
  const EncodedCorpus corpus(in_folder("tokens"));
  const WeightedCorpus twice{&corpus, 2.0};
  EXPECT_EQ(pairs_of(Epoch({&twice, 1}, {}, 1)).size(), 944u);
  const WeightedCorpus half{&corpus, 0.5};
  const auto first = pairs_of(Epoch({&half, 1}, {}, 1));
  EXPECT_NEAR(static_cast<double>(first.size()), 236.0, 45.0);
  EXPECT_NE(first, pairs_of(Epoch({&half, 1}, {}, 2)));
}

}  // namespace
}  // namespace heed
