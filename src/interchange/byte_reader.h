// Takes values from bytes that are not trusted, in order; the machine is little-endian, as the files are.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "heed/error.h"

namespace heed::interchange {

class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string name) : rest_(bytes), name_(std::move(name)) {}

  std::size_t left() const { return rest_.size(); }

  // `what` names the value where the file ends before it.
  std::string_view take(std::uint64_t count, const char* what) {
    if (count > rest_.size()) {
      throw Error(fmt::format("'{}': the file ends within {}; fetch it again", name_, what));
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T number(const char* what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

 private:
  std::string_view rest_;
  std::string name_;
};

}  // namespace heed::interchange
