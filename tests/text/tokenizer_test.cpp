#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "heed/error.h"
#include "test_folder.h"
#include "text/small_sentencepiece.h"
#include "text/tokenizer_files.h"

namespace heed {
namespace {

std::uint64_t draw(std::uint64_t line, std::uint64_t counter, std::uint64_t bound) {
  return uniform_below(random_key(7, line), counter, bound);
}

// Words from a small alphabet, so that pieces repeat.
std::vector<std::string> simple_lines(std::uint64_t count) {
  const std::vector<std::string> words{"the",    "cat",  "sees", "a",    "house", "houses",
                                       "seeing", "cats", "그는", "집을", "봤어요"};
  std::vector<std::string> lines;
  for (std::uint64_t n = 0; n < count; ++n) {
    std::string line;
    for (std::uint64_t i = 0; i < 3 + draw(n, 0, 8); ++i) {
      if (i > 0) line += ' ';
      line += words[draw(n, i + 1, words.size())];
    }
    lines.push_back(line);
  }
  return lines;
}

void append_character(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6);
    text += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12);
    text += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | c >> 18);
    text += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    text += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// A random valid line: odd spaces, control characters, SentencePiece's own marks, letters of many scripts.
std::string awkward_line(std::uint64_t n) {
  const std::vector<char32_t> favourites{' ',    ' ',    '\t',   '\r',    0x2581, 0x2585, 0x2047, 0xfeff, 0x00a0,
                                         0x3000, 0x200b, 0x0301, 0x1f600, 0xac00, 'a',    'e',    't',    '<',
                                         '>',    's',    '/',    0,       0x2028, 0xfffd, 0x1100, 0xfb01, 0xff21};
  std::string line;
  const std::uint64_t length = draw(n, 0, 40);
  for (std::uint64_t i = 1; i <= length; ++i) {
    if (draw(n, 2 * i, 3) > 0) {
      append_character(line, favourites[draw(n, 2 * i + 1, favourites.size())]);
    } else {
      auto c = static_cast<char32_t>(draw(n, 2 * i + 1, 0x110000));
      if (c == '\n' || (c >= 0xd800 && c < 0xe000)) c = 'x';
      append_character(line, c);
    }
  }
  return line;
}

class SentencePieceKinds : public testing::TestWithParam<TokenizerKind> {};

TEST_P(SentencePieceKinds, IdentityGivesEveryValidLineBackByteForByte) {
  const auto tokenizer = train_tokenizer(
      {.kind = GetParam(), .normalization = Normalization::identity, .vocab_size = 285}, simple_lines(500));
  for (std::uint64_t n = 0; n < 3000; ++n) {
    const std::string line = awkward_line(n);
    ASSERT_EQ(tokenizer->decode(tokenizer->encode(line)), line) << "line " << n;
  }
  for (const std::string line : {" ", "  two", "two  ", "\u2581", " \u2581 ", "<s>", "</s> <unk>", "\t"}) {
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), line);
  }
}

TEST_P(SentencePieceKinds, NoTextIsUnknown) {
  const auto tokenizer = train_tokenizer({.kind = GetParam(), .vocab_size = 285}, simple_lines(500));
  for (std::uint64_t n = 0; n < 500; ++n) {
    for (const int id : tokenizer->encode(awkward_line(n))) EXPECT_NE(id, 0);
  }
}

TEST_P(SentencePieceKinds, OneFileComesBackAsTheSameTokenizer) {
  const auto tokenizer = train_tokenizer({.kind = GetParam(), .vocab_size = 285}, simple_lines(500));
  const auto again = read_tokenizer(tokenizer->serialised(), "again");
  EXPECT_EQ(again->kind(), GetParam());
  EXPECT_EQ(again->size(), tokenizer->size());
  EXPECT_EQ(again->encode("the cat sees 집을"), tokenizer->encode("the cat sees 집을"));
}

TEST_P(SentencePieceKinds, TheSameTextGivesTheSameTokenizer) {
  const TokenizerOptions options{.kind = GetParam(), .vocab_size = 285};
  EXPECT_EQ(train_tokenizer(options, simple_lines(300))->serialised(),
            train_tokenizer(options, simple_lines(300))->serialised());
}

TEST_P(SentencePieceKinds, AVocabularyThatTheTextDoesNotAllowIsRefusedInWords) {
  try {
    train_tokenizer({.kind = GetParam(), .vocab_size = 100000}, simple_lines(50));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("100000"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SentencePieceKinds, testing::Values(TokenizerKind::bpe, TokenizerKind::unigram),
                         [](const auto& kind) { return name_of(kind.param); });

TEST(SpaceTokenizer, PiecesAreJoinedAtTheirMarks) {
  const std::vector<std::string> lines{"a gi@@ ant pul@@ ley sys@@ tem", "a tem"};
  const auto tokenizer = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 100}, lines);
  EXPECT_EQ(tokenizer->size(), 3 + 7);
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("a  pul@@ ley\t sys@@ tem ")), "a pulley system");
  EXPECT_EQ(tokenizer->piece(3), "a");  // the most frequent; ties in byte order
  EXPECT_EQ(tokenizer->encode("zebra"), std::vector<int>{0});
  EXPECT_EQ(tokenizer->decode(std::vector<int>{}), "");
}

TEST(SpaceTokenizer, AVocabularySizeKeepsTheMostFrequent) {
  const std::vector<std::string> lines{"b b b c c a"};
  const auto tokenizer = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 5}, lines);
  EXPECT_EQ(tokenizer->pieces(std::vector<int>{3, 4}), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(tokenizer->encode("a b"), (std::vector<int>{0, 3}));
}

TEST(SpaceTokenizer, DamagedFilesAreRefused) {
  const std::vector<std::string> lines{"one two three"};
  const std::string bytes = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 9}, lines)->serialised();
  EXPECT_EQ(read_tokenizer(bytes, "x")->serialised(), bytes);
  EXPECT_THROW(read_tokenizer(bytes.substr(0, bytes.size() - 1), "x"), Error);
  EXPECT_THROW(read_tokenizer(bytes + "one\n", "x"), Error);
  EXPECT_THROW(read_tokenizer("heed space tokenizer 1\n<unk>\n", "x"), Error);
}

TEST(Tokenizer, BytesThatAreNoTokenizerAreRefused) {
  EXPECT_THROW(read_tokenizer("", "x"), Error);
  EXPECT_THROW(read_tokenizer("not a tokenizer", "x"), Error);
  EXPECT_THROW(read_tokenizer(std::string(1000, '\xff'), "x"), Error);
}

TEST(SentencePieceFiles, RulesOfAnyFileAreFollowed) {
  const auto tokenizer = read_tokenizer(small_sentencepiece(ModelType::bpe), "small");
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode("a b")), (std::vector<std::string>{"\u2581", "bc", "\u2581", "b"}));
}

TEST(SentencePieceFiles, TablesThatLeadElsewhereAreRefused) {
  const auto refused = [](const auto& spoil) {
    SmallRules rules;
    spoil(rules);
    EXPECT_THROW(read_tokenizer(small_sentencepiece(ModelType::bpe, rules), "hostile"), Error);
  };
  refused([](SmallRules& r) { r.size += 1; });
  refused([](SmallRules& r) { r.size = 0; });
  refused([](SmallRules& r) { r.size += 4 + 4; });
  refused([](SmallRules& r) { r.units[0] = 256u << 10; });                         // a base past the end
  refused([](SmallRules& r) { r.units[0] = 1u << 31 | 1u << 10 | 1u << 9; });      // a far one
  refused([](SmallRules& r) { r.units[SmallRules::link] |= 1u << 30; });           // a link past the end
  refused([](SmallRules& r) { r.units[SmallRules::value] = 1u << 31 | 3; });       // a value past the end
  refused([](SmallRules& r) { r.replacements = std::string(2000, 'b') + '\0'; });  // a flood of text
  refused([](SmallRules& r) { r.replacements = "bc"; });                           // one that does not end
  refused(
      [](SmallRules& r) { r.units[SmallRules::link] = SmallRules::link_to(SmallRules::link, SmallRules::base, 'a'); });
}

TEST(SentencePieceFiles, MoreMatchesThanTheLibraryHasRoomForAreRefused) {
  const auto with_rules = [](std::uint32_t count) {
    // a, aa, aaa …: each leads to its own base, whose unit is its value.
    constexpr std::uint32_t base = 128;
    SmallRules rules;
    rules.units[0] = base << 10;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t at = (base + i) ^ 'a';
      rules.units[at] = SmallRules::link_to(at, base + i + 1, 'a');
      rules.units[base + i + 1] = 1u << 31;
    }
    return small_sentencepiece(ModelType::bpe, rules);
  };
  EXPECT_NO_THROW(read_tokenizer(with_rules(32), "deep"));
  EXPECT_THROW(read_tokenizer(with_rules(33), "too deep"), Error);
  const auto with_pieces = [](std::size_t count) {
    std::string pieces;
    for (std::size_t i = 1; i <= count; ++i) {
      pieces += piece_field(std::string(i, 'u'), 0.0f, PieceKind::user_defined);
    }
    return small_sentencepiece(ModelType::bpe, {}, pieces);
  };
  EXPECT_NO_THROW(read_tokenizer(with_pieces(64), "many"));
  EXPECT_THROW(read_tokenizer(with_pieces(65), "too many"), Error);
}

TEST(SentencePieceFiles, PiecesThatCannotBeAreRefused) {
  const auto with = [](const std::string& piece) { return small_sentencepiece(ModelType::unigram, {}, piece); };
  EXPECT_NO_THROW(read_tokenizer(with(piece_field("x", -9.0f, PieceKind::normal)), "sound"));
  EXPECT_THROW(read_tokenizer(with(piece_field("x", std::nanf(""), PieceKind::normal)), "no number"), Error);
  EXPECT_THROW(read_tokenizer(with(piece_field(std::string("a\0b", 3), 0.0f, PieceKind::normal)), "NUL"), Error);
  EXPECT_THROW(read_tokenizer(with(piece_field("a", 0.0f, PieceKind::normal)), "twice"), Error);
  EXPECT_THROW(read_tokenizer(with("\x0b"), "a group"), Error);
}

TEST(TokenizerFiles, OneOrTwoTokenizersLiveInAFolder) {
  const TestFolder folder;
  make_folder(folder / "one");
  make_folder(folder / "two");
  const auto small = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 5}, simple_lines(10));
  const auto large = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 8}, simple_lines(10));
  save_tokenizers({small, small}, folder / "one");
  EXPECT_TRUE(load_tokenizers(folder / "one").shared());
  save_tokenizers({small, large}, folder / "two");
  const TokenizerPair pair = load_tokenizers(folder / "two");
  EXPECT_EQ(pair.source->size(), 5);
  EXPECT_EQ(pair.target->size(), 8);
  EXPECT_THROW(load_tokenizers(folder.path()), Error);
}

}  // namespace
}  // namespace heed
