// Minimal SentencePiece files, built field by field, so that tests can corrupt any field.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace heed {

// The subset of protocol buffers that a tokenizer needs.
inline std::string proto_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string proto_field(unsigned number, const std::string& bytes) {
  return proto_varint(number << 3 | 2) + proto_varint(bytes.size()) + bytes;
}
inline std::string proto_field(unsigned number, std::uint64_t value) {
  return proto_varint(number << 3) + proto_varint(value);
}
inline std::string proto_field(unsigned number, float value) {
  return proto_varint(number << 3 | 5) + std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

enum class PieceKind : std::uint64_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5 };

inline std::string piece_field(const std::string& spelling, float score, PieceKind kind) {
  return proto_field(
      1, proto_field(1, spelling) + proto_field(2, score) + proto_field(3, static_cast<std::uint64_t>(kind)));
}

// A table of normalisation rules with one rule: "a" becomes "bc".
struct SmallRules {
  static constexpr std::uint32_t base = 1;
  static constexpr std::uint32_t link = base ^ 'a';  // the unit of the rule
  static constexpr std::uint32_t value = 2;          // the unit of its value, the offset of "bc"

  std::array<std::uint32_t, 256> units;
  std::string replacements = std::string("bc\0", 3);
  std::uint32_t size = sizeof units;

  SmallRules() {
    for (std::uint32_t i = 0; i < units.size(); ++i) units[i] = 1u << 31 | i;
    units[0] = base << 10;
    units[link] = link_to(link, value, 'a');
    units[value] = 1u << 31;
  }
  // Sets the unit at `at` to a link for this byte, with a value and the base `to`.
  static std::uint32_t link_to(std::uint32_t at, std::uint32_t to, unsigned char byte) {
    return (at ^ to) << 10 | 1u << 8 | byte;
  }
  std::string bytes() const {
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) +
           std::string(reinterpret_cast<const char*>(units.data()), sizeof units) + replacements;
  }
};

enum class ModelType : std::uint64_t { unigram = 1, bpe = 2, word = 3, character = 4 };

// With rules in both directions, a user-defined piece, and a self-test that the library runs on loading.
inline std::string small_sentencepiece(ModelType type, const SmallRules& rules = {},
                                       const std::string& more_pieces = "") {
  const std::string tested = type == ModelType::word ? "\u2581b" : "\u2581 b";
  return piece_field("<unk>", 0.0f, PieceKind::unknown) + piece_field("<s>", 0.0f, PieceKind::control) +
         piece_field("</s>", 0.0f, PieceKind::control) + piece_field("a", -1.0f, PieceKind::normal) +
         piece_field("b", -2.0f, PieceKind::normal) + piece_field("bc", -3.0f, PieceKind::normal) +
         piece_field("ab", -4.0f, PieceKind::unused) + piece_field("\u2581", -5.0f, PieceKind::normal) +
         piece_field("\uac00", -6.0f, PieceKind::user_defined) + more_pieces +
         proto_field(2, proto_field(3, static_cast<std::uint64_t>(type))) +
         proto_field(3, proto_field(1, std::string("x")) + proto_field(2, rules.bytes())) +
         proto_field(4, proto_field(1, proto_field(1, std::string("b")) + proto_field(2, tested))) +
         proto_field(5, proto_field(2, rules.bytes()));
}

}  // namespace heed
