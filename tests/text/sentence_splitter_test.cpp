#include "text/sentence_splitter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace heed {
namespace {

using Texts = std::vector<std::string>;

// The sentences without trailing white space; checks that they cover the whole text in order.
Texts split(std::string_view text) {
  Texts sentences;
  std::string whole;
  for (const std::string_view sentence : split_sentences(text)) {
    EXPECT_FALSE(sentence.empty()) << text;
    whole += sentence;
    std::string trimmed(sentence);
    trimmed.erase(trimmed.find_last_not_of(" \n") + 1);
    sentences.push_back(trimmed);
  }
  EXPECT_EQ(whole, text);
  return sentences;
}

// Joins the sentences and expects the splitter to recover them.
void expect_sentences(const Texts& sentences, const std::string& between = " ") {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : between) + sentence;
  EXPECT_EQ(split(text), sentences);
}

TEST(SentenceSplitter, EnglishSentencesEndAtMarksBeforeWhiteSpace) {
  expect_sentences({"A dog runs in the park.", "Does it bark?", "It does!", "Good"});
  expect_sentences({"He was born in 1990.", "She was not."});
  expect_sentences({"He is 42.", "She is 40."});
  expect_sentences({"What?!", "Really...", "Yes."});
  expect_sentences({"We met at 5 p.m.", "Then we left.", "Apples, pears, etc.", "All gone."});
}

TEST(SentenceSplitter, EnglishAbbreviationsAndInitialsDoNotEndASentence) {
  for (const char* text :
       {"Dr. Kim met Mr. Smith and Mrs. Jones in St. Louis.", "J. R. R. Tolkien and J.R.R. Tolkien wrote.",
        "The U.S. Army, e.g. Fort Knox, i.e. Kentucky.", "See No. 5 and Fig. 3 in Vol. 2.",
        "Smith vs. Jones, Prof. Lee presiding.", "It was on Sept. 3 or Oct. 4."}) {
    expect_sentences({text});
  }
  expect_sentences({"No.", "I will not."});
  expect_sentences({"Never mind.", "The end."});
}

TEST(SentenceSplitter, NumbersVersionsAndAddressesStayWhole) {
  for (const char* text : {"Pi is 3.14159 or so.", "Version 2.0.1 Beta is out.",
                           "See www.Example.Com/A?B=C or a.B@c.D now.", "1. First of all", "It costs 3.5 Euro."}) {
    expect_sentences({text});
  }
}

TEST(SentenceSplitter, QuotesAndBracketsStayWithTheSentenceTheyClose) {
  expect_sentences({"He said \"Stop.\"", "Then he left."});
  expect_sentences({"He said \u201cStop.\u201d", "\u201cWhy?\u201d", "(Nobody knew.)", "So it went."});
  expect_sentences({"\"Stop!\" he said.", "She did."});
  expect_sentences({"Yahoo! is a company.", "It is."});
}

TEST(SentenceSplitter, AnEllipsisBeforeALowerCaseLetterIsAPause) {
  expect_sentences({"Well... maybe . . . or not.", "Who knows?"});
  expect_sentences({"... and so on.", "Yes\u2026 perhaps."});
}

TEST(SentenceSplitter, GermanAbbreviationsAndOrdinalsDoNotEndASentence) {
  for (const char* text :
       {"Obst, z.B. \u00c4pfel, d.h. Fr\u00fcchte.", "Obst, z. B. \u00c4pfel, d. h. Fr\u00fcchte.",
        "Am 1. Januar kam er.", "1. Januar und 24. Dezember.", "Im 19. Jahrhundert, vor dem 2. Weltkrieg.",
        "Er wohnt in der Haupt Str. 5 bzw. Nr. 7.", "Dipl. Ing. Meier, vgl. Abb. 3.", "Das kostet ca. 5 Euro."}) {
    expect_sentences({text});
  }
  expect_sentences({"Er kam 1990.", "Sie ging."});
  expect_sentences({"\u201eHalt!\u201c sagte er.", "\u201eKomm.\u201c", "Dann ging er."});
  expect_sentences({"\u00dcber uns.", "\u00c4pfel sind rot."});
}

TEST(SentenceSplitter, KoreanSentencesEndAtMarksBeforeWhiteSpace) {
  expect_sentences({"저는 사과를 먹었어요.", "당신은요?", "좋아요!", "예.", "갑니다."});
  expect_sentences(
      {"그는 \"갔다.\"라고 말했다.", "버전 3.5가 나왔다.", "example.한국에 있다.", "null이 아니다!", "iPhone인가?"});
}

TEST(SentenceSplitter, JapaneseAndChineseSentencesNeedNoWhiteSpace) {
  expect_sentences({"犬が走ります。", "本当ですか？", "はい！", "そうです。"}, "");
  expect_sentences({"「はい。」と言った。", "終わり。"}, "");
  expect_sentences({"使います。", "iPhoneは便利です。"}, "");
  expect_sentences({"我们走吧。", "你呢？", "好！"}, "");
}

TEST(SentenceSplitter, LineBreaksEndASentence) { expect_sentences({"A title", "Dr.", "Some text."}, "\n"); }

TEST(SentenceSplitter, OddInputComesBackWhole) {
  EXPECT_TRUE(split("").empty());
  EXPECT_EQ(split(" \u3000").size(), 1u);
  for (const char* text : {".", "...", "?! ?! ?!", "\u3002\u3002", "a", "\U0001f600! \U0001f600!", "\u200b"}) {
    expect_sentences({text});
  }
  expect_sentences({"! Then. . .", "\"Why\"? !"});
  for (const std::string text : {"\xff. A\xfe. B", "\xe2\x82", "a\xf0\x9f\x98. B", "\x80\x80. A"}) split(text);
  EXPECT_EQ(split(std::string("a\0. B", 5)).size(), 2u);
}

TEST(SentenceSplitter, NeverCutsACharacter) {
  const std::string text = "가。나！다？\U0001f600。é. Ü! ß? Ω.";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (const std::string_view sentence : split_sentences(std::string_view(text).substr(begin))) {
      const auto at = static_cast<std::size_t>(sentence.data() - text.data());
      EXPECT_TRUE(at == begin || (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) << begin << ", " << at;
    }
  }
}

TEST(SentenceSplitter, TakesTimeLinearInTheText) {
  for (const std::string part :
       {"a", ".", " ", "A. ", "다. a", "다. ", "1. ", "(", "\u3002", "a. )", "Dr. ", "1.1", "!\" "}) {
    const auto seconds = [&](std::size_t bytes) {
      std::string text;
      while (text.size() < bytes) text += part;
      const auto start = std::chrono::steady_clock::now();
      split(text);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // Sixteen times the text would take 256 times as long if time were quadratic.
    const double small = seconds(std::size_t{1} << 16);
    EXPECT_LT(seconds(std::size_t{1} << 20), 64.0 * small + 0.1) << "'" << part << "'";
  }
}

}  // namespace
}  // namespace heed
