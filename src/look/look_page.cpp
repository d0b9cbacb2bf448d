#include "look/look_page.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/script_text.h"

namespace heed {

std::string_view look_html();  // web/look.html, embedded at build time

namespace look {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<std::uint8_t>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : digits[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

}  // namespace

std::string render_page(const LookData& data) {
  const std::vector<float>& numbers = data.numbers();
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  // The numbers first: what the head holds could look like a mark.
  return replace_mark(replace_mark(look_html(), "/*NUMBERS*/", base64(bytes)), "/*HEAD*/", script_text(data.head()));
}

}  // namespace look
}  // namespace heed
