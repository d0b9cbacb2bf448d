// Lexical shortlists of Marian and Bergamot.
#include "fuzz.h"
#include "interchange/marian_shortlist.h"
#include "interchange/small_shortlist.h"

namespace heed::fuzz {

std::vector<std::string> seeds() {
  return {interchange::small_shortlist(2, {{}, {}, {3, 4}, {2}}), interchange::small_shortlist(0, {}),
          "b a 0.5\nc a 0.3\na a 0.2\nNULL a 0.9\n"};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::fuzz;
  using namespace heed::interchange;
  std::string input(text_of(data, size));
  const TokenOrder order{
      {{"<unk>", 1}, {"<s>", interchange::no_row, false}, {"</s>", 0}, {"a", 2}, {"b", 3}, {"c", 4}}};
  const VocabularyOrders orders{order, order};
  const auto use = [&](const Shortlist& list) {
    std::vector<int> tokens;
    list.select(std::vector<int>{0, 3, 4, 5, 2}, {}, order.size(), tokens);
    require(!tokens.empty() && tokens.back() < order.size(), "a token is outside of the vocabulary");
  };
  attempt([&] { use(read_binary_shortlist(input, orders, "input")); });
  // With the right checksum an alteration reaches what is behind it.
  if (input.size() >= 16) {
    const std::uint64_t checksum = shortlist_checksum(input.substr(16));
    input.replace(8, 8, bytes_of_words({checksum}));
    attempt([&] { use(read_binary_shortlist(input, orders, "input")); });
  }
  attempt([&] { use(read_text_shortlist(input, {}, orders, "input")); });
  return 0;
}
