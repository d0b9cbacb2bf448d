#include "text/utf8.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Utf8, ValidTextHasNoInvalidByte) {
  for (const std::string text :
       {"", "plain", "caf\u00e9", "\u2028", "\ud55c\uad6d\uc5b4 \U0001f600", "0123456789abcdef\u00fc"}) {
    EXPECT_FALSE(find_invalid_utf8(text)) << text;
  }
}

TEST(Utf8, TheFirstBadByteIsFound) {
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(find_invalid_utf8("\xc0\xaf"), 0u);             // overlong
  EXPECT_EQ(find_invalid_utf8("\xe0\x80\x80"), 0u);         // overlong
  EXPECT_EQ(find_invalid_utf8("\xf0\x80\x80\x80"), 0u);     // overlong
  EXPECT_EQ(find_invalid_utf8("x\xed\xa0\x80"), 1u);        // surrogate
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0u);     // past U+10FFFF
  EXPECT_EQ(find_invalid_utf8("0123456789\xe2\x82"), 10u);  // truncated
  EXPECT_EQ(find_invalid_utf8("\x80"), 0u);                 // continuation without a start
}

TEST(Utf8, EachBadByteBecomesOneReplacementCharacter) {
  EXPECT_EQ(replace_invalid_utf8("a\xff\xfe"
                                 "b"),
            "a\ufffd\ufffdb");
  EXPECT_EQ(replace_invalid_utf8("\xe2\x82"), "\ufffd\ufffd");
  EXPECT_EQ(replace_invalid_utf8("\u00fc"), "\u00fc");
}

TEST(Utf8, BlankIsWhiteSpaceOfAnyKindAndNothingElse) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\r\v\f\u0085\u00a0\u2028\u3000"));
  EXPECT_FALSE(is_blank(" x "));
  EXPECT_FALSE(is_blank("\u200b"));
  EXPECT_FALSE(is_blank("\xff"));
  EXPECT_FALSE(is_blank(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace heed
