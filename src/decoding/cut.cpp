#include "decoding/cut.h"

#include <algorithm>
#include <array>

namespace heed {
namespace {

// These end a sentence anywhere; the others only before white space.
constexpr std::array<std::string_view, 3> full_width_ends{"\u3002", "\uff01", "\uff1f"};
constexpr std::string_view ends = ".!?";
constexpr std::string_view white = " \t";

bool is_boundary(std::string_view text, std::size_t at) {
  return at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80;
}

bool is_space(std::string_view text, std::size_t at) {
  return is_boundary(text, at) && white.find(text[at]) != std::string_view::npos;
}

bool ends_sentence(std::string_view text, std::size_t at) {
  if (!is_boundary(text, at)) return false;
  const std::string_view before = text.substr(0, at);
  if (is_space(text, at)) return ends.find(before.back()) != std::string_view::npos;
  return std::any_of(full_width_ends.begin(), full_width_ends.end(), [&](auto end) { return before.ends_with(end); });
}

// The position nearest to the middle, at most `far` away; 0 if there is none.
template <class Fits>
std::size_t nearest_to_middle(std::string_view text, std::size_t far, const Fits& fits) {
  const std::size_t middle = text.size() / 2;
  for (std::size_t away = 0; away <= far; ++away) {
    if (fits(text, middle + away)) return middle + away;
    if (away <= middle && fits(text, middle - away)) return middle - away;
  }
  return 0;
}

}  // namespace

std::size_t cut_position(std::string_view text) {
  const std::size_t quarter = text.size() / 4;
  if (const std::size_t at = nearest_to_middle(text, quarter, ends_sentence)) return at;
  if (const std::size_t at = nearest_to_middle(text, quarter, is_space)) return at;
  return nearest_to_middle(text, text.size(), is_boundary);
}

}  // namespace heed
