// Lexical shortlists of Marian and Bergamot.
#include <gtest/gtest.h>

#include "error_message.h"
#include "interchange/marian_shortlist.h"
#include "interchange/small_shortlist.h"

namespace heed::interchange {
namespace {

// Marian's ids: </s> 0, <unk> 1, a 2, b 3, c 4. heed's: <unk> 0, <s> 1, </s> 2, a 3, b 4, c 5.
VocabularyOrders marian_orders() {
  const TokenOrder order{{{"<unk>", 1}, {"<s>", no_row, false}, {"</s>", 0}, {"a", 2}, {"b", 3}, {"c", 4}}};
  return {order, order};
}

using Ids = std::vector<std::int32_t>;

TEST(MarianShortlist, BinaryListsGetHeedsIds) {
  const Shortlist list = read_binary_shortlist(small_shortlist(2, {{}, {}, {3, 4}, {2}, {}}), marian_orders(), "l");
  EXPECT_EQ(list.always, (Ids{0, 2}));
  EXPECT_EQ(list.offsets, (Ids{0, 0, 0, 0, 2, 3, 3}));
  EXPECT_EQ(list.tokens, (Ids{4, 5, 3}));
}

TEST(MarianShortlist, TextListsKeepTheMostProbable) {
  const std::string text = "b a 0.5\nc a 0.3\na a 0.2\nNULL a 0.9\nb NULL 0.9\nc c 0.01\nzebra c 1\n\n";
  const Shortlist list =
      read_text_shortlist(text, {.first = 1, .best = 2, .least_probability = 0.1f}, marian_orders(), "l");
  EXPECT_EQ(list.always, (Ids{2}));
  EXPECT_EQ(list.offsets, (Ids{0, 0, 0, 0, 2, 2, 2}));
  EXPECT_EQ(list.tokens, (Ids{4, 5}));
  EXPECT_NE(error_message([&] { read_text_shortlist("b a 0.5\nb a\n", {}, marian_orders(), "l"); }).find("line 2"),
            std::string::npos);
}

TEST(MarianShortlist, DamageIsNamed) {
  const std::string good = small_shortlist(2, {{}, {}, {3, 4}, {2}, {}});
  const auto refused = [](const std::string& bytes) {
    return error_message([&] { read_binary_shortlist(bytes, marian_orders(), "l"); });
  };
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_NE(refused(good.substr(0, size)), "") << size;
  std::string other = good;
  other.back() ^= 1;
  // The last entry is beyond the last whole word of the checksum if the number of entries is odd.
  other[48] ^= 1;
  EXPECT_NE(refused(other).find("checksum"), std::string::npos);
  EXPECT_NE(refused(small_shortlist(2, {{}, {}, {5}})).find("holds token 5"), std::string::npos);
  EXPECT_NE(refused(small_shortlist(2, {{}, {}, {}, {}, {}, {}})).find("source vocabulary of 6"), std::string::npos);
  std::string overflowing = bytes_of_words({2, 50, std::uint64_t{1} << 61, 0});
  overflowing = bytes_of_words({0xF11A48D5013417F5, shortlist_checksum(overflowing)}) + overflowing;
  EXPECT_NE(refused(overflowing).find("ends within its offsets"), std::string::npos);
}

}  // namespace
}  // namespace heed::interchange
