#include "gettext/gettext.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/random.h"
#include "gettext/accelerators.h"
#include "gettext/make_mo.h"
#include "heed/error.h"
#include "test_folder.h"

namespace heed::gettext {
namespace {

using namespace std::string_literals;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::pair<std::string, std::string> utf8_header{"", "Content-Type: text/plain; charset=UTF-8\n"};

Catalogue read(const std::string& bytes) { return read_catalogue(std::as_bytes(std::span(bytes)), "test.mo"); }

MessageCorpus corpus_of(Strings messages) {
  messages.insert(messages.begin(), utf8_header);
  MessageCorpus corpus;
  corpus.add(read(make_mo(messages)));
  return corpus;
}

TEST(Catalogue, BothByteOrdersRead) {
  for (const Order order : {Order::little, Order::big}) {
    const Catalogue catalogue = read(make_mo({utf8_header, {"File", "파일"}}, order));
    ASSERT_EQ(catalogue.messages.size(), 1u);
    EXPECT_EQ(catalogue.messages[0].id, "File");
    EXPECT_EQ(catalogue.messages[0].forms, std::vector{"파일"s});
  }
}

TEST(Catalogue, ContextsGoAndPluralsAreSplit) {
  const Catalogue catalogue =
      read(make_mo({utf8_header, {"STR_OK\x04OK", "확인"}, {"a cat\0cats"s, "Katze\0Katzen"s}}));
  EXPECT_EQ(catalogue.messages[0].id, "OK");
  EXPECT_EQ(catalogue.messages[1].id, "a cat");
  EXPECT_EQ(catalogue.messages[1].plural_id, "cats");
  EXPECT_EQ(catalogue.messages[1].forms, (std::vector{"Katze"s, "Katzen"s}));
}

TEST(Catalogue, OtherCharsetsAreConverted) {
  const Catalogue catalogue = read(
      make_mo({{"", "Content-Type: text/plain; charset=EUC-KR\n"}, {"File", "\xc6\xc4\xc0\xcf"}, {"Bad", "\xff\xff"}}));
  ASSERT_EQ(catalogue.messages.size(), 1u);
  EXPECT_EQ(catalogue.messages[0].forms[0], "파일");
  EXPECT_EQ(catalogue.broken, 1);
  EXPECT_THROW(read(make_mo({{"", "charset=KLINGON-8\n"}, {"a", "b"}})), Error);
}

TEST(Catalogue, ACharsetThatIsAPathOrHasOptionsIsUnknown) {
  for (const char* charset : {"../../tmp/x", "UTF-8/x", "ISO-2022-KR,version=1", "\x1b[31m"}) {
    EXPECT_THROW(read(make_mo({{"", std::string("charset=") + charset + "\n"}, {"a", "b"}})), Error) << charset;
  }
}

TEST(Catalogue, InvalidUtf8IsLeftOutAndCounted) {
  const Catalogue catalogue = read(make_mo({utf8_header, {"File", "\xff"}, {"Edit", "편집"}}));
  EXPECT_EQ(catalogue.messages.size(), 1u);
  EXPECT_EQ(catalogue.broken, 1);
}

TEST(Catalogue, EveryTruncationIsRefused) {
  const std::string whole = make_mo({utf8_header, {"File", "파일"}, {"%d file\0%d files"s, "파일 %d개"}});
  read(whole);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_THROW(read(whole.substr(0, size)), Error) << size;
}

TEST(Catalogue, NoFlippedByteCrashes) {
  const std::string whole =
      make_mo({utf8_header, {"_File", "파일(_F)"}, {"%d file\0%d files"s, "파일 %d개"}}, Order::big);
  int refused = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    for (std::uint64_t flips = 0; flips <= i % 3; ++flips) {
      damaged[uniform_below(1, 8 * i + flips, damaged.size())] =
          static_cast<char>(uniform_below(2, 8 * i + flips, 256));
    }
    try {
      MessageCorpus corpus;
      corpus.add(read(damaged));
      for (const auto& [source, target] : corpus.pairs()) {
        EXPECT_EQ((source + target).find('\n'), std::string::npos);
      }
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Catalogue, StringsThatLieOverEachOtherAreRefused) {
  std::string bytes = make_mo({{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "b"}, {"c", "d"}, {"e", "f"}});
  for (std::size_t entry = 28; entry < 44; entry += 8) bytes.replace(entry, 8, bytes, 20, 8);
  EXPECT_THROW(read(bytes), Error);
}

TEST(MessageCorpus, KeepsWhatIsTranslatedAndCountsTheRest) {
  const MessageCorpus corpus = corpus_of({{"_File", "파일(_F)"},
                                          {"ctx\x04"
                                           "File",
                                           "파일"},
                                          {"Linux", "Linux"},
                                          {"Edit", ""},
                                          {"open %s", "열기"},
                                          {"translator-credits", "누군가"},
                                          {"one\ntwo", "하나 둘"}});
  EXPECT_EQ(corpus.pairs(), (Pairs{{"File", "파일"}}));
  EXPECT_EQ(corpus.messages(), 7);
  for (const Discard why : {Discard::duplicate, Discard::identical, Discard::untranslated, Discard::placeholders,
                            Discard::credits, Discard::lines}) {
    EXPECT_EQ(corpus.discarded(why), 1) << title_of(why);
  }
}

TEST(MessageCorpus, LinesOfAMessageBecomePairs) {
  EXPECT_EQ(corpus_of({{"\nfirst  line\n\n\tsecond %d\n", "첫째 줄\n\n둘째 %d\n\n"}}).pairs(),
            (Pairs{{"first line", "첫째 줄"}, {"second %d", "둘째 %d"}}));
  EXPECT_EQ(corpus_of({{"a\n\nb", "ㄱ\nㄴ\n"}}).discarded(Discard::lines), 1);
  EXPECT_EQ(corpus_of({{"%s\nb", "ㄱ\n%s"}}).discarded(Discard::placeholders), 1);
}

TEST(MessageCorpus, PluralsPairWithTheirForms) {
  EXPECT_EQ(corpus_of({{"%d file\0%d files"s, "파일 %d개"}}).pairs(), (Pairs{{"%d file", "파일 %d개"}}));
  EXPECT_EQ(corpus_of({{"one file\0%d files"s, "파일 %d개"}}).pairs(), (Pairs{{"%d files", "파일 %d개"}}));
  EXPECT_EQ(corpus_of({{"one file\0%d files"s, "eine Datei\0%d Dateien"s}}).pairs(),
            (Pairs{{"one file", "eine Datei"}, {"%d files", "%d Dateien"}}));
}

TEST(MessageCorpus, ThePluralFormsOfTheHeaderDecide) {
  const auto pairs = [](const std::string& rule, const std::string& forms) {
    MessageCorpus corpus;
    corpus.add(
        read(make_mo({{"", "charset=UTF-8\nPlural-Forms: " + rule + "\nX: y\n"}, {"one file\0%d files"s, forms}})));
    return corpus.pairs();
  };
  const std::string slavic =
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);";
  EXPECT_EQ(pairs(slavic, "one\0few %d\0many %d"s), (Pairs{{"one file", "one"}, {"%d files", "many %d"}}));
  const std::string arabic =
      "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;";
  EXPECT_EQ(pairs(arabic, "none\0one\0two\0few %d\0many %d\0other %d"s),
            (Pairs{{"one file", "one"}, {"%d files", "other %d"}}));
  EXPECT_EQ(pairs("nplurals=2; plural=(n > 1);", "un\0%d gros"s), (Pairs{{"one file", "un"}, {"%d files", "%d gros"}}));
  EXPECT_EQ(corpus_of({{"one file\0%d files"s, "one\0few %d\0many %d"s}}).discarded(Discard::plurals), 1);
}

TEST(PluralForms, WhatIsNoExpressionIsNoRule) {
  const auto rule = [](const std::string& expression) {
    return read_plural_forms("Plural-Forms: nplurals=2; plural=" + expression + ";\n").has_value();
  };
  EXPECT_TRUE(rule("n != 1"));
  EXPECT_TRUE(rule("!(n==1)"));
  const std::vector<std::string> wrong{"",
                                       "n ?",
                                       "n/0",
                                       "n%(n-n)",
                                       "(n",
                                       "n n",
                                       "99999999999999999999",
                                       "m",
                                       std::string(100000, '('),
                                       std::string(100000, '!')};
  for (const std::string& expression : wrong) EXPECT_FALSE(rule(expression)) << expression.substr(0, 30);
  EXPECT_FALSE(read_plural_forms("Content-Type: text/plain\n"));
}

TEST(Catalogues, AreFoundByLanguage) {
  const TestFolder folder;
  for (const char* place : {"ko/LC_MESSAGES", "ko_KR.UTF-8/LC_MESSAGES", "kok/LC_MESSAGES", "de/LC_MESSAGES",
                            "sr/LC_MESSAGES", "sr@latin/LC_MESSAGES"}) {
    make_folder(folder / place);
    folder.write(std::string(place) + "/a.mo", "");
  }
  folder.write("ko/LC_MESSAGES/readme.txt", "");
  const std::vector<std::filesystem::path> expected{folder / "ko/LC_MESSAGES/a.mo",
                                                    folder / "ko_KR.UTF-8/LC_MESSAGES/a.mo"};
  EXPECT_EQ(find_catalogues(folder / "", "ko"), expected);
  EXPECT_EQ(find_catalogues(folder / "de/LC_MESSAGES/a.mo", "ko").size(), 1u);
  EXPECT_THROW(find_catalogues(folder / "none", "ko"), Error);
  EXPECT_EQ(find_catalogues(folder / "", "sr"), (std::vector{folder / "sr/LC_MESSAGES/a.mo"}));
  EXPECT_EQ(find_catalogues(folder / "", "sr@latin"), (std::vector{folder / "sr@latin/LC_MESSAGES/a.mo"}));
}

std::string labels(std::string source, std::string target) {
  remove_accelerators(source, target);
  return source + " = " + target;
}

TEST(Accelerators, MarksGoFromBothSides) {
  EXPECT_EQ(labels("_File", "파일(_F)"), "File = 파일");
  EXPECT_EQ(labels("&Open...", "열기(&O)..."), "Open... = 열기...");
  EXPECT_EQ(labels("~Close & Return to", "닫고 돌아갈 위치 (~C)"), "Close & Return to = 닫고 돌아갈 위치");
  EXPECT_EQ(labels("E_xit", "_Beenden"), "Exit = Beenden");
  EXPECT_EQ(labels("E_xit", "종료"), "Exit = 종료");
  EXPECT_EQ(labels("Save _As", "다른 이름으로 저장"), "Save As = 다른 이름으로 저장");
}

TEST(Accelerators, NamesKeepTheirSigns) {
  EXPECT_EQ(labels("bad file_name", "잘못된 file_name"), "bad file_name = 잘못된 file_name");
  EXPECT_EQ(labels("AT&T", "AT&T 회사"), "AT&T = AT&T 회사");
  EXPECT_EQ(labels("R&D department", "연구 개발 부서"), "R&D department = 연구 개발 부서");
  EXPECT_EQ(labels("file_name is missing", "파일 이름이 없습니다"), "file_name is missing = 파일 이름이 없습니다");
  EXPECT_EQ(labels("~10 seconds", "약 10초"), "~10 seconds = 약 10초");
  EXPECT_EQ(labels("less &lt; more", "작게 &lt; 크게"), "less &lt; more = 작게 &lt; 크게");
  EXPECT_EQ(labels("LC_ALL and LC_TIME", "LC_ALL 및 LC_TIME"), "LC_ALL and LC_TIME = LC_ALL 및 LC_TIME");
  EXPECT_EQ(labels("from ~/.config", "~/.config에서"), "from ~/.config = ~/.config에서");
}

}  // namespace
}  // namespace heed::gettext
