// Vocabularies and SentencePiece models in heed's order.
#include "interchange/vocabulary.h"

#include <gtest/gtest.h>

#include "error_message.h"
#include "interchange/sentencepiece_order.h"
#include "text/small_sentencepiece.h"
#include "text/tokenizer.h"

namespace heed::interchange {
namespace {

using Tokens = std::vector<std::string>;

TEST(Vocabularies, KeysOfYamlAreTakenLiterally) {
  const Vocabulary v = read_vocabulary(
      "</s>: 0\n\"<unk>\": 1\n~: 2\nnull: 3\n1e5: 4\n\"\\\"\": 5\n\"\\xe9\\u00e9\\U0001F600\": 6\n'it''s': 7\n"
      "? a very long one\n: 8\n=: 9\na:b: 10\n\":\": 11\nyes: 12\n': 13\n\"\\\\\": 14\n",
      "v");
  EXPECT_EQ(v.tokens, (Tokens{"</s>", "<unk>", "~", "null", "1e5", "\"", "éé😀", "it's", "a very long one", "=", "a:b",
                              ":", "yes", "'", "\\"}));
}

TEST(Vocabularies, TheOtherFormsSayTheSame) {
  const Tokens tokens{"</s>", "<unk>", "a", "b"};
  for (const char* text :
       {"</s>: 0\n<unk>: 1\nb: 3\na: 2\n", "</s>\n<unk>\na\nb\n", "</s>\r\n<unk>\r\na\r\nb",
        "{\"</s>\": 0, \"<unk>\": 1,\n \"b\": 3, \"a\": 2}", "---\n</s>: 0\n<unk>: 1\na: 2\nb: 3\n"}) {
    EXPECT_EQ(read_vocabulary(text, "v").tokens, tokens) << text;
  }
}

TEST(Vocabularies, OldNamesOfSpecialTokens) {
  const Vocabulary v = read_vocabulary("{\"eos\": 0, \"UNK\": 1, \"a\": 2}", "v");
  EXPECT_EQ(v.end, 0);
  EXPECT_EQ(v.unknown, 1);
  EXPECT_EQ(v.tokens[0], "</s>");
}

TEST(Vocabularies, WhatDoesNotFitIsRefused) {
  const auto message = [](const std::string& text) { return error_message([&] { read_vocabulary(text, "v"); }); };
  EXPECT_NE(message("</s>: 0\n<unk>: 1\na: 2\nb: 2\n").find("id 2 is there twice"), std::string::npos);
  EXPECT_NE(message("</s>: 0\n<unk>: 1\na: 7\n").find("id 7 is too large"), std::string::npos);
  EXPECT_NE(message("</s>: 0\n<unk>: 1\na: 2\na: 3\n").find("'a' is there twice"), std::string::npos);
  EXPECT_NE(message("</s>: 0\n<unk>: 1\na 2\n").find("line 3"), std::string::npos);
  EXPECT_NE(message("a\nb\nc\n").find("</s>"), std::string::npos);
  EXPECT_NE(message("</s>\nb\nc\n").find("<unk>"), std::string::npos);
  EXPECT_NE(message("\xff: 0\n").find("UTF-8"), std::string::npos);
  EXPECT_NE(message("{\"a\": [[[]]]}").find("JSON"), std::string::npos);
  EXPECT_NE(message("{\"</s>\": 0, \"<unk>\": 1, \"a\\nb\": 2}").find("line end"), std::string::npos);
  EXPECT_NE(message("").find("no token"), std::string::npos);
}

TEST(Vocabularies, SpecialTokensComeFirstInHeed) {
  const Vocabulary v = read_vocabulary("a: 0\n</s>: 1\nb: 2\n<unk>: 3\n", "v");
  const TokenOrder order = heed_order(v, 5, "v");
  Tokens tokens;
  std::vector<Index> from;
  for (const TokenRow& row : order.rows) {
    tokens.push_back(row.token);
    from.push_back(row.from);
  }
  EXPECT_EQ(tokens, (Tokens{"<unk>", "<s>", "</s>", "a", "b", "<row4>"}));
  EXPECT_EQ(from, (std::vector<Index>{3, no_row, 1, 0, 2, 4}));
  EXPECT_FALSE(order.rows[1].produced);
  EXPECT_NE(error_message([&] { heed_order(v, 3, "v"); }).find("4 tokens"), std::string::npos);
}

TEST(Vocabularies, AnOwnStartTokenKeepsItsRow) {
  const TokenOrder order = heed_order(read_vocabulary("</s>: 0\n<unk>: 1\n<s>: 2\na: 3\n", "v"), 4, "v");
  ASSERT_EQ(order.size(), 4);
  EXPECT_EQ(order.rows[1].from, 2);
  EXPECT_TRUE(order.rows[1].produced);
}

// As Marian trains them: </s> is 0, <unk> 1, and there is no <s>.
std::string marian_sentencepiece() {
  return piece_field("</s>", 0.0f, PieceKind::control) + piece_field("<unk>", 0.0f, PieceKind::unknown) +
         piece_field("\u2581a", -1.0f, PieceKind::normal) + piece_field("b", -2.0f, PieceKind::normal) +
         piece_field("\u2581", -0.5f, PieceKind::normal) + piece_field("ab", -1.5f, PieceKind::normal) +
         piece_field("a", -4.0f, PieceKind::normal) +
         proto_field(2, proto_field(3, std::uint64_t{1}) + proto_field(40, std::uint64_t{1}) +
                            proto_field(41, ~std::uint64_t{0}) + proto_field(42, std::uint64_t{0})) +
         proto_field(3, proto_field(1, std::string("identity")));
}

TEST(SentencePieceOrder, TextIsSplitAsBefore) {
  const std::string model = marian_sentencepiece();
  const Vocabulary v = sentencepiece_vocabulary(model, "m");
  EXPECT_EQ(v.end, 0);
  EXPECT_EQ(v.unknown, 1);
  const TokenOrder order = heed_order(v, 7, "m");
  const auto tokenizer = read_tokenizer(reordered_sentencepiece(model, order, "m"), "m");
  EXPECT_EQ(tokenizer->size(), 8);
  EXPECT_EQ(tokenizer->kind(), TokenizerKind::unigram);
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode("ab bab")), (Tokens{"\u2581", "ab", "\u2581", "b", "ab"}));
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("ab bab")), "ab bab");
  for (Index id = 0; id < order.size(); ++id) {
    EXPECT_EQ(tokenizer->piece(static_cast<int>(id)), order.rows[static_cast<std::size_t>(id)].token);
  }
}

// A vocabulary with tokens of another language, without one of the pieces.
TEST(SentencePieceOrder, PiecesOutsideTheVocabularyAreUnknownOnes) {
  const std::string model = marian_sentencepiece();
  const Vocabulary v = read_vocabulary(">>fra<<: 4\n</s>: 0\n<unk>: 1\nb: 2\n\u2581: 3\nZ: 5\n\u2581a: 6\na: 7\n", "v");
  TokenOrder order = heed_order(v, 8, "v");
  add_missing_pieces(model, "m", order);
  ASSERT_EQ(order.size(), 10);
  EXPECT_EQ(order.rows[9].token, "ab");
  EXPECT_EQ(order.rows[9].from, v.unknown);
  EXPECT_FALSE(order.rows[9].produced);
  const auto tokenizer = read_tokenizer(reordered_sentencepiece(model, order, "m"), "m");
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode("ab")), (Tokens{"\u2581", "ab"})) << "not \u2581a, b";
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode("Z aY")), (Tokens{"\u2581", "Z", "\u2581a", "<unk>"}))
      << "a token that only the vocabulary knows, and one that it does not know either";
  const std::vector<int> other{tokenizer->id_of("\u2581a"), tokenizer->id_of("Z")};
  EXPECT_EQ(tokenizer->decode(other), "aZ") << "pieces that no text gives have a text of their own";
}

TEST(SentencePieceOrder, ATargetLanguageIsATokenOnlyAtTheStart) {
  const std::string model = marian_sentencepiece();
  const Vocabulary v =
      read_vocabulary("</s>: 0\n<unk>: 1\n>>fra<<: 2\nb: 3\n\u2581: 4\nab: 5\n\u2581a: 6\na: 7\n", "v");
  const TokenOrder order = heed_order(v, 8, "v");
  const auto tokenizer = read_tokenizer(reordered_sentencepiece(model, order, "m"), "m");
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode(">>fra<< b")), (Tokens{">>fra<<", "\u2581", "b"}));
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode("b >>fra<<"))[1], "b");
  const std::vector<int> later = tokenizer->encode("b >>fra<<");
  EXPECT_EQ(std::count(later.begin(), later.end(), tokenizer->id_of(">>fra<<")), 0);
  EXPECT_EQ(tokenizer->encode(">>deu<< b")[1], 0) << "no such token: unknown characters";
}

// BPE splits text into single characters even if they are unused, so runs of them are put together again.
TEST(SentencePieceOrder, UnknownCharactersThatFollowEachOtherAreOneUnknownPiece) {
  std::string model = piece_field("</s>", 0.0f, PieceKind::control) + piece_field("<unk>", 0.0f, PieceKind::unknown);
  float score = 0.0f;
  for (const char* piece : {"ab", "\u2581", "a", "b"}) model += piece_field(piece, score--, PieceKind::normal);
  model += proto_field(2, proto_field(3, static_cast<std::uint64_t>(ModelType::bpe))) +
           proto_field(3, proto_field(1, std::string("x")));
  const Vocabulary v = read_vocabulary("</s>: 0\n<unk>: 1\nab: 2\n\u2581: 3\na: 4\nb: 5\nk: 6\nl: 7\nlk: 8\n", "v");
  const auto tokenizer = read_tokenizer(reordered_sentencepiece(model, heed_order(v, 9, "v"), "m"), "m");
  EXPECT_EQ(tokenizer->pieces(tokenizer->encode("ab k kl blk")),
            (Tokens{"\u2581", "ab", "\u2581", "k", "\u2581", "<unk>", "\u2581", "b", "lk"}));
}

TEST(SentencePieceOrder, OtherFilesAreRefused) {
  for (const std::string& bytes : {std::string("text"), marian_sentencepiece().substr(0, 30)}) {
    EXPECT_NE(error_message([&] { sentencepiece_vocabulary(bytes, "m"); }), "");
  }
  const std::string twice = piece_field("b", 0.0f, PieceKind::normal) + marian_sentencepiece();
  EXPECT_NE(error_message([&] { sentencepiece_vocabulary(twice, "m"); }).find("'b' is there twice"), std::string::npos);
}

}  // namespace
}  // namespace heed::interchange
