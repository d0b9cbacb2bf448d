#include "data/markup.h"

#include <gtest/gtest.h>

#include "data/accelerators.h"
#include "data/controls.h"

namespace heed {
namespace {

using Names = std::vector<std::string>;

TEST(Placeholders, FindsWhatProgramsFillIn) {
  EXPECT_EQ(placeholders("%s has %-5.2f of %zu in {0}, {name} and ${home}/$(dir) $ARG1$ %PRODUCTNAME"),
            (Names{"$(dir)", "$ARG1$", "${home}", "%-5.2f", "%PRODUCTNAME", "%s", "%zu", "{0}", "{name}"}));
}

TEST(Placeholders, NamesInParenthesesCount) {
  EXPECT_EQ(placeholders("%(name)s has %(count)03d, 50%(or so)%1$"), (Names{"%(count)03d", "%(name)s"}));
}

TEST(Placeholders, PositionsDoNotCount) { EXPECT_EQ(placeholders("%2$d in %1$s"), placeholders("%s: %d")); }

TEST(Placeholders, APercentageIsNone) {
  EXPECT_EQ(placeholders("100% done, 5%, %% literally, 50 %"), Names{});
  EXPECT_EQ(placeholders("{ a block } and $5 and %"), Names{});
}

TEST(Markup, TagsCountByName) {
  EXPECT_EQ(markup("<a href=\"x\">here</a>"), markup("<a href=\"y\">여기</a>"));
  EXPECT_EQ(markup("a < b and c > d"), Names{});
  EXPECT_EQ(markup_difference(markup("<b>bold</b> {0}"), markup("굵게 {1}")),
            "</b> <b> {0} only in the source, {1} only in the target");
}

TEST(Controls, AreFoundAndTakenOut) {
  EXPECT_EQ(find_control("plain text with a\ttab and 한글"), std::nullopt);
  EXPECT_EQ(find_control("zero\xe2\x80\x8bwidth"), char32_t{0x200b});
  EXPECT_EQ(without_controls("a\x01"
                             "b\x0b"
                             "c\xe2\x80\xa8"
                             "d\r"),
            "ab c d");
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
}  // namespace heed
