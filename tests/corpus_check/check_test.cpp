#include "corpus_check/check.h"

#include <gtest/gtest.h>

#include "corpus_check/check_report.h"
#include "corpus_check/fix.h"
#include "heed/error.h"
#include "test_folder.h"

namespace heed::corpus_check {
namespace {

constexpr const char* german =
    "Der Hund lief gestern durch den langen Wald, weil er die anderen Tiere nicht mehr sehen konnte.";
constexpr const char* english =
    "Yesterday the dog ran through the long forest because it could not see the other animals any more.";
constexpr const char* korean = "어제 그 개는 다른 동물들을 더 이상 볼 수 없어서 긴 숲을 지나 달려갔습니다.";

class Check : public testing::Test {
 protected:
  CheckReport check(std::string_view source, std::string_view target, const CheckOptions& options = {}) {
    return check_corpus(write(source, target), options);
  }
  CorpusFiles write(std::string_view source, std::string_view target) {
    return {folder_.write("train.en", source), folder_.write("train.ko", target), 1.0};
  }
  CheckReport check_tsv(std::string_view text) { return check_corpus({folder_.write("train.tsv", text), {}, 1.0}, {}); }

  TestFolder folder_;
};

// The count of every finding not named must be zero.
void expect_only(const CheckReport& report, std::vector<std::pair<Finding, Index>> expected) {
  for_each_finding([&](Finding finding) {
    Index count = 0;
    for (const auto& [which, times] : expected) count += which == finding ? times : 0;
    EXPECT_EQ(report[finding].count, count) << about(finding).name;
  });
}

TEST_F(Check, ACleanCorpusHasNoFindings) {
  const CheckReport report = check("a red house\ntwo cats\n", "빨간 집\n고양이 두 마리\n");
  expect_only(report, {});
  EXPECT_FALSE(report.refused());
  EXPECT_EQ(report.pairs, 2);
  EXPECT_EQ(report.usable, 2);
  EXPECT_EQ(report.source.size.words, 5);
  EXPECT_EQ(report.target.size.characters, 4 + 8);
}

TEST_F(Check, LineCountsThatDifferAreRefusedAndTheRestIsChecked) {
  const CheckReport report = check("one\n\nthree\nfour\nfive\n", "하나\n둘\n셋\n");
  expect_only(report, {{Finding::line_counts, 2}, {Finding::empty, 1}});
  EXPECT_TRUE(report.refused());
  EXPECT_EQ(report.source.lines, 5);
  EXPECT_EQ(report.target.lines, 3);
  EXPECT_EQ(check("one\n", "하나\n둘\n셋").target.lines, 3);
}

TEST_F(Check, InvalidUtf8HasItsLineAndByte) {
  const CheckReport report = check("one\ntwo\n", "하나\n둘\xff\n");
  expect_only(report, {{Finding::invalid_utf8, 1}});
  EXPECT_TRUE(report.refused());
  EXPECT_EQ(report[Finding::invalid_utf8].examples[0].line, 2);
  EXPECT_EQ(report[Finding::invalid_utf8].examples[0].detail, "target, byte 4");
  EXPECT_EQ(report[Finding::invalid_utf8].examples[0].target, "둘\xef\xbf\xbd");
}

TEST_F(Check, AnEmptyCorpusIsRefused) { EXPECT_TRUE(check("", "").refused()); }

TEST_F(Check, RepeatsAreToldApartFromOtherTranslations) {
  const CheckReport report = check("yes\nno\nyes\nyes\n", "네\n아니요\n예\n네\n");
  expect_only(report, {{Finding::duplicate, 1}, {Finding::same_source, 1}});
  EXPECT_EQ(report[Finding::duplicate].examples[0].detail, "same as line 1");
  EXPECT_EQ(report[Finding::same_source].examples[0].line, 3);
}

TEST_F(Check, OneIdenticalWordIsFineAndASentenceIsNot) {
  expect_only(check("Linux\nthe red house\n", "Linux\nthe red house\n"), {{Finding::identical, 1}});
}

TEST_F(Check, LengthsAreHeldToTheirLimits) {
  std::string words;
  for (int i = 0; i < 12; ++i) words += "word ";
  expect_only(check(words, "단\n"), {{Finding::ratio, 1}});
  CheckOptions options;
  options.max_ratio = 20.0;
  options.max_length = 11;
  const CheckReport report = check(words, "단\n", options);
  expect_only(report, {{Finding::too_long, 1}});
  EXPECT_EQ(report.usable, 0);
}

TEST_F(Check, ControlCharactersAreFoundAndAWindowsLineEndIsNot) {
  expect_only(check("one\r\ntwo\x07\n", "하나\r\n둘\n"), {{Finding::controls, 1}});
}

TEST_F(Check, MarkupMustStandOnBothSides) {
  const CheckReport report = check("press <b>OK</b>\nopen {0}\n", "<b>확인</b>을 누르십시오\n열기\n");
  expect_only(report, {{Finding::markup, 1}});
  EXPECT_EQ(report[Finding::markup].examples[0].detail, "{0} only in the source");
}

TEST_F(Check, MarkupThatIsOpenOnBothSidesIsANote) {
  const CheckReport report = check("press <b>OK\na line<br>\nsee [1] <x id=\"1\"/>\n",
                                   "<b>확인을 누르십시오\n한 줄<br>\n[1] 참조 <x id=\"1\"/>\n");
  expect_only(report, {{Finding::unbalanced, 1}});
  EXPECT_EQ(report[Finding::unbalanced].examples[0].detail, "<b> is not closed");
}

TEST_F(Check, BothKindsOfChineseAreChinese) {
  CheckOptions options;
  options.target_language = "zh";
  expect_only(
      check("we went to the library to read\nthen we went home to eat\n",
            "我們今天早上一起去圖書館讀書，然後回家吃飯。\n我们今天早上一起去图书馆读书，然后回家吃饭。\n", options),
      {});
}

TEST_F(Check, AnotherLanguageIsFoundOnlyWhenCodesAreGiven) {
  const std::string source = std::string(english) + "\n" + german + "\n";
  const std::string target = std::string(korean) + "\n" + korean + " 둘\n";
  expect_only(check(source, target), {});
  CheckOptions options;
  options.source_language = "en";
  options.target_language = "ko";
  const CheckReport report = check(source, target, options);
  expect_only(report, {{Finding::wrong_language, 1}});
  EXPECT_EQ(report[Finding::wrong_language].examples[0].detail, "the source seems to be 'de'");
}

TEST_F(Check, ALanguageThatNobodyKnowsIsRefused) {
  CheckOptions options;
  options.source_language = "klingonisch";
  EXPECT_THROW(check("a\n", "b\n", options), Error);
}

TEST_F(Check, ATokenizerCountsTokensAndTellsWhatItLacks) {
  const std::vector<std::string> lines{"a b c", "a b"};
  CheckOptions options;
  options.tokenizers.source = train_tokenizer({.kind = TokenizerKind::space, .vocab_size = 10}, lines);
  options.tokenizers.target = options.tokenizers.source;
  const CheckReport report = check("a b c\na a\n", "c b a\nb x\n", options);
  expect_only(report, {{Finding::unknown_pieces, 1}});
  EXPECT_EQ(report.source.size.tokens, 5);
  EXPECT_EQ(report.target.size.unknown, 1);
  EXPECT_EQ(report.usable_tokens, 3 + 2 + 2);
}

TEST_F(Check, ATsvNeedsExactlyOneTab) {
  const CheckReport report = check_tsv("one\t하나\ntwo\na\tb\tc\n");
  expect_only(report, {{Finding::tabs, 2}});
  EXPECT_TRUE(report.refused());
}

TEST_F(Check, TheNumberOfThreadsChangesNothing) {
  std::string source;
  std::string target;
  for (int i = 0; i < 20000; ++i) {
    source += i % 7 == 0 ? "\n" : "number " + std::to_string(i % 5000) + (i % 11 == 0 ? " {0}\n" : "\n");
    target += "숫자 " + std::to_string(i % 5000) + "\n";
  }
  CheckOptions options;
  const CheckReport one = check(source, target, options);
  options.threads = 3;
  EXPECT_EQ(findings_table(check(source, target, options)), findings_table(one));
  EXPECT_GT(one[Finding::duplicate].count, 1000);
  EXPECT_EQ(one[Finding::empty].count, 2858);
}

TEST_F(Check, ExamplesAreShortenedBetweenCharacters) {
  EXPECT_EQ(shortened("가나다라", 2), "가나…");
  EXPECT_EQ(shortened("가나", 2), "가나");
  EXPECT_EQ(shortened("a\tb\x01"
                      "c\xff",
                      9),
            "a b c\xef\xbf\xbd");
}

TEST_F(Check, LanguagesAreGuessedFromNames) {
  EXPECT_EQ(language_of_name("a/train.en"), "en");
  EXPECT_EQ(language_of_name("train.ko.gz"), "ko");
  EXPECT_EQ(language_of_name("train.de.zst"), "de");
  EXPECT_EQ(language_of_name("train.pt_BR"), "pt_BR");
  EXPECT_EQ(language_of_name("train.txt"), "");
  EXPECT_EQ(language_of_name("train"), "");
}

TEST_F(Check, FixingLeavesAFitCorpusAndSaysWhatItDropped) {
  const CorpusFiles files =
      write("one\ntwo\n\nthree\nto copy this\none\nfour\x02\n", "하나\n둘\xff\n셋\n삼\nto copy this\n하나\n넷\n");
  CorpusFixer fixer(files, folder_ / "fixed");
  CheckCallbacks callbacks;
  callbacks.pair = [&](const CheckedPair& pair) { fixer.add(pair); };
  fixer.commit(check_corpus(files, {}, callbacks));
  EXPECT_EQ(read_file(folder_ / "fixed/train.en"), "one\nthree\nfour\n");
  EXPECT_EQ(read_file(folder_ / "fixed/train.ko"), "하나\n삼\n넷\n");
  EXPECT_EQ(read_file(folder_ / "fixed/dropped.tsv"), "2\tinvalid_utf8\n3\tempty\n5\tidentical\n6\tduplicate\n");
  EXPECT_NE(read_file(folder_ / "fixed/report.txt").find(fixer.summary()), std::string::npos);
  EXPECT_EQ(fixer.summary(),
            "kept 3 pairs, dropped 4: 1 invalid_utf8, 1 empty, 1 identical, 1 duplicate; removed control characters "
            "from 1 kept pair");
  expect_only(check_corpus({folder_ / "fixed/train.en", folder_ / "fixed/train.ko", 1.0}, {}), {});
}

TEST_F(Check, FixingRefusesLostAlignmentAndTheFolderOfTheCorpus) {
  const CorpusFiles files = write("one\ntwo\n", "하나\n");
  {
    CorpusFixer fixer(files, folder_ / "fixed");
    EXPECT_THROW(fixer.commit(check_corpus(files, {})), Error);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "fixed"));
  EXPECT_THROW(CorpusFixer(files, folder_ / "."), Error);
  EXPECT_EQ(read_file(files.source), "one\ntwo\n");
}

}  // namespace
}  // namespace heed::corpus_check
