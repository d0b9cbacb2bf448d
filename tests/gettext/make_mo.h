// Message catalogues for the tests, as msgfmt writes them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed::gettext {

using Strings = std::vector<std::pair<std::string, std::string>>;

enum class Order { little, big };

// Header, the two tables, the strings.
inline std::string make_mo(const Strings& messages, Order order = Order::little) {
  std::string bytes;
  const auto word = [&](std::size_t value) {
    for (int i = 0; i < 4; ++i) {
      const int shift = order == Order::little ? 8 * i : 24 - 8 * i;
      bytes += static_cast<char>(value >> shift & 0xff);
    }
  };
  const std::size_t tables = 20;
  for (const std::size_t value :
       {std::size_t{0x950412de}, std::size_t{0}, messages.size(), tables, tables + 8 * messages.size()}) {
    word(value);
  }
  std::size_t at = tables + 16 * messages.size();
  std::string strings;
  const auto table = [&](auto member) {
    for (const auto& message : messages) {
      const std::string& text = message.*member;
      word(text.size());
      word(at);
      strings += text + '\0';
      at += text.size() + 1;
    }
  };
  table(&Strings::value_type::first);
  table(&Strings::value_type::second);
  return bytes + strings;
}

}  // namespace heed::gettext
