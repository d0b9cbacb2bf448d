// Reads and writes protocol buffer messages field by field, for files that are not trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::protobuf {

// Thrown where a message is cut off or no message at all.
struct Malformed {};

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;   // of an integer
  std::string_view bytes{};  // of a string, a message or a fixed-size number
  std::string_view whole{};  // the field as it stands, with its key
};

class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const std::string_view from = rest_;
    const std::uint64_t key = varint();
    field = {.number = key >> 3};
    switch (key & 7) {
      case 0: field.value = varint(); break;
      case 1: field.bytes = take(8); break;
      case 2: field.bytes = take(varint()); break;
      case 5: field.bytes = take(4); break;
      default: throw Malformed();  // groups, which no file of interest has
    }
    field.whole = from.substr(0, from.size() - rest_.size());
    return true;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    throw Malformed();
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Malformed();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string field(std::uint64_t number, std::uint64_t value) { return varint(number << 3) + varint(value); }
inline std::string field(std::uint64_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string field(std::uint64_t number, float value) {
  return varint(number << 3 | 5) + std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace heed::protobuf
