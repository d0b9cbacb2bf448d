#include "interchange/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "heed/error.h"
#include "interchange/byte_reader.h"
#include "interchange/shown.h"

namespace heed::interchange {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_dimensions = 8;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}; fetch the file again", name, what));
}

// The header is a Python dictionary with three keys.
class Header {
 public:
  Header(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read(NpyArray& array) {
    bool type = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        array.type = quoted();
        type = true;
      } else if (key == "fortran_order") {
        if (word() != "False") fail(name_, "the array is in Fortran's order, not in C's");
      } else if (key == "shape") {
        array.shape = tuple();
        shape = true;
      } else {
        damaged();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!type || !shape) damaged();
  }

 private:
  [[noreturn]] void damaged() const { fail(name_, "the header of the array is damaged"); }

  void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size())); }
  bool accept(char c) {
    skip_spaces();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) damaged();
  }
  std::string_view quoted() {
    expect('\'');
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) damaged();
    const std::string_view value = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return value;
  }
  std::string_view word() {
    skip_spaces();
    const std::string_view value = text_.substr(0, text_.find_first_of(",} \n"));
    text_.remove_prefix(value.size());
    return value;
  }
  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      Index size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0 || sizes.size() == most_dimensions) damaged();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view text_;
  const std::string& name_;
};

// Bytes per number, for the plain types.
Index width_of(const NpyArray& array, const std::string& name) {
  const std::string& type = array.type;
  const bool plain = type.size() == 3 && (type[0] == '<' || type[0] == '|') && type[2] >= '1' && type[2] <= '8';
  if (!plain) fail(name, fmt::format("numbers of the type '{}' cannot be read", shown(type)));
  return type[2] - '0';
}

}  // namespace

NpyArray read_npy(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with(magic)) fail(name, "this is not a NumPy array");
  ByteReader reader(bytes.substr(magic.size()), name);
  const auto version = reader.number<std::uint8_t>("the header of an array");
  reader.take(1, "the header of an array");
  const std::size_t size = version == 1 ? reader.number<std::uint16_t>("the header of an array")
                                        : reader.number<std::uint32_t>("the header of an array");
  NpyArray array;
  Header(reader.take(size, "the header of an array"), name).read(array);
  // By division, so that no product overflows.
  auto left = static_cast<Index>(reader.left()) / width_of(array, name);
  Index count = 1;
  for (const Index dimension : array.shape) {
    if (dimension != 0 && count > left / dimension) fail(name, "the file ends within the numbers of an array");
    count *= dimension;
  }
  array.bytes = reader.take(static_cast<std::uint64_t>(count * width_of(array, name)), "the numbers of an array");
  if (reader.left() != 0) fail(name, "there is more in it than its shape says");
  return array;
}

}  // namespace heed::interchange
