#include "text/markup.h"

#include <gtest/gtest.h>

#include "text/controls.h"

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

}  // namespace
}  // namespace heed
