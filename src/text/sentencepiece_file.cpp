#include "text/sentencepiece_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "text/protobuf.h"

namespace heed {
namespace {

using protobuf::Field;
using protobuf::Message;

// Thrown if a check fails.
struct Unsafe {};

void require(bool condition) {
  if (!condition) throw Unsafe();
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// The double-array trie that the library looks rules up in: a unit has a label (its lowest byte), a flag that it has a
// value (bit 8) and an offset; bit 31 marks a value. From a base b the link for byte c is unit b ^ c, if that has label
// c; its own base is its index ^ its offset, and its value is in the unit at that base.
class RuleTable {
 public:
  RuleTable(std::string_view units, std::string_view replacements)
      : units_(units), count_(units.size() / sizeof(std::uint32_t)), replacements_(replacements), known_(count_) {}

  void check() {
    require(count_ > 0 && units_.size() % sizeof(std::uint32_t) == 0);
    check_from(base_of(0), 0);
  }

 private:
  // The library has room for this many matches of one text.
  static constexpr int most_matches = 32;
  static constexpr int deepest = 1024;
  // The most bytes that one character may become: with more, a short line could fill the memory.
  static constexpr std::size_t longest_replacement = 1024;
  static constexpr std::uint8_t in_progress = 0xff;

  std::uint32_t unit(std::size_t i) const { return word_at(units_, i * sizeof(std::uint32_t)); }

  // Requires that all 256 units that a base leads to are in the table.
  std::size_t base_of(std::size_t i) const {
    const std::uint32_t u = unit(i);
    const std::size_t offset = std::size_t{u >> 10} << ((u & 0x200u) >> 6);
    const std::size_t base = i ^ offset;
    require((base | 0xff) < count_);
    return base;
  }

  // Returns the maximum number of matches from here on. Memoised, since rules with the same ending share it.
  int check_from(std::size_t base, int depth) {
    require(depth < deepest && known_[base] != in_progress);
    if (known_[base] != 0) return known_[base] - 1;
    known_[base] = in_progress;
    int matches = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t u = unit(base ^ byte);
      if ((u & 0x800000ffu) != byte) continue;
      const std::size_t next = base_of(base ^ byte);
      const bool has_value = (u & 0x100u) != 0;
      if (has_value) check_value(unit(next) & 0x7fffffffu);
      matches = std::max(matches, check_from(next, depth + 1) + (has_value ? 1 : 0));
    }
    require(matches <= most_matches);
    known_[base] = static_cast<std::uint8_t>(matches + 1);
    return matches;
  }

  void check_value(std::size_t value) const {
    require(value < replacements_.size());
    require(replacements_.substr(value, longest_replacement).find('\0') != std::string_view::npos);
  }

  std::string_view units_;
  std::size_t count_;
  std::string_view replacements_;    // each followed by a NUL
  std::vector<std::uint8_t> known_;  // per base: 0, in_progress, or 1 + its matches
};

// Layout: the size of the table, the table, the replacements.
void check_rules(std::string_view rules) {
  if (rules.empty()) return;
  constexpr std::size_t size_field = sizeof(std::uint32_t);
  require(rules.size() > size_field);
  const std::size_t table = word_at(rules, 0);
  require(table <= rules.size() - size_field);
  RuleTable(rules.substr(size_field, table), rules.substr(size_field + table)).check();
}

void check_normalizer(std::string_view bytes) {
  constexpr std::uint64_t rules_field = 2;
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == rules_field) check_rules(field.bytes);
  }
}

// Returns the piece if it is user-defined, else empty.
std::string_view check_piece(std::string_view bytes) {
  constexpr std::uint64_t text_field = 1, score_field = 2, kind_field = 3;
  constexpr std::uint32_t user_defined = 4;
  std::string_view text;
  bool by_user = false;
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == text_field) text = field.bytes;
    if (field.number == kind_field) by_user |= static_cast<std::uint32_t>(field.value) == user_defined;
    if (field.number == score_field) {
      require(field.bytes.size() == sizeof(float) && std::isfinite(std::bit_cast<float>(word_at(field.bytes, 0))));
    }
  }
  // The library ends a piece at a NUL, and could then have the same piece twice.
  require(text.find('\0') == std::string_view::npos);
  return by_user ? text : std::string_view();
}

// The library has room for a limited number of pieces that are prefixes of each other.
void check_user_defined(std::vector<std::string_view> pieces) {
  constexpr std::size_t most_matches = 64;
  std::sort(pieces.begin(), pieces.end());
  std::vector<std::string_view> chain;
  for (const std::string_view piece : pieces) {
    while (!chain.empty() && !piece.starts_with(chain.back())) chain.pop_back();
    chain.push_back(piece);
    require(chain.size() <= most_matches);
  }
}

void check_file(std::string_view bytes) {
  constexpr std::uint64_t piece_field = 1, normalizer_field = 3, denormalizer_field = 5;
  std::vector<std::string_view> user_defined;
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.number == piece_field) {
      const std::string_view piece = check_piece(field.bytes);
      if (!piece.empty()) user_defined.push_back(piece);
    }
    if (field.number == normalizer_field || field.number == denormalizer_field) check_normalizer(field.bytes);
  }
  check_user_defined(std::move(user_defined));
}

}  // namespace

bool is_safe_sentencepiece_file(std::string_view bytes) {
  try {
    check_file(bytes);
    return bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  } catch (const Unsafe&) {
    return false;
  } catch (const protobuf::Malformed&) {
    return false;
  }
}

}  // namespace heed
