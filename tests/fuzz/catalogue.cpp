// gettext message catalogues, and the parallel text extracted from them.
#include "gettext/catalogue.h"

#include "fuzz.h"
#include "gettext/gettext.h"
#include "gettext/make_mo.h"

namespace heed::fuzz {

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  const auto header = [](const std::string& charset) {
    return std::pair{""s, "Content-Type: text/plain; charset=" + charset + "\n"};
  };
  using namespace gettext;
  const Strings messages{header("UTF-8"),
                         {"_File", "파일(_F)"},
                         {"STR_OK\x04OK", "확인"},
                         {"%d cat\0%d cats"s, "고양이 %d마리"},
                         {"<b>two</b>\nlines", "<b>두</b>\n줄"}};
  return {make_mo(messages), make_mo(messages, Order::big), make_mo({header("EUC-KR"), {"File", "\xc6\xc4\xc0\xcf"}}),
          make_mo({header("ISO-2022-KR"), {"File", "\x1b$)C\x0e\x46\x44\x0f"}}),
          make_mo({header("UTF-7"), {"a", "+AOk-"}})};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::gettext;
  using namespace heed::fuzz;
  attempt([&] {
    const Catalogue catalogue = read_catalogue(std::as_bytes(std::span(data, size)), "input");
    for (const Message& message : catalogue.messages) {
      require(!message.forms.empty(), "a message has no translation");
      require(!find_invalid_utf8(message.id) && !find_invalid_utf8(message.forms[0]), "a message is not UTF-8");
    }
    MessageCorpus corpus;
    corpus.add(catalogue);
    for (const auto& [source, target] : corpus.pairs()) {
      require(source.find('\n') == std::string::npos && target.find('\n') == std::string::npos, "a line is two");
    }
  });
  return 0;
}
