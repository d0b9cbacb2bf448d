// The part of Python's pickle format that PyTorch's weight files need.
//
// Files are not trusted and nothing is ever run: a file may name only the classes and functions of a short list, which
// stand for values here. Any other name is refused with an Error that says which.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/byte_reader.h"
#include "interchange/stored_tensor.h"

namespace heed::interchange {

enum class PickleKind {
  none,
  truth,
  integer,
  real,
  text,
  long_integer,
  tuple,
  list,
  dictionary,
  name,
  storage,
  tensor
};

// Values refer to each other by number, so that a value that holds itself costs nothing.
struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;  // of truth and integer; of a storage the count of its numbers
  std::string text = {};     // of text, a name and a long integer's bytes; of storage and tensor the storage's key
  std::vector<std::size_t> items = {};  // of tuple and list; of a dictionary key, value, key, value …
  StoredForm form = StoredForm::f32;    // of storage and tensor
  Index offset = 0;                     // of a tensor, in numbers
  std::vector<Index> shape = {};
  std::vector<Index> strides = {};
};

class PickleReader {
 public:
  PickleReader(std::string_view bytes, const std::string& name) : bytes_(bytes, name), name_(name) {}

  // The value of the next pickle. It stays where it is, as all values do.
  const PickleValue& read();
  const PickleValue& at(std::size_t number) const { return values_[number]; }
  // What follows the pickles that were read.
  ByteReader& rest() { return bytes_; }

 private:
  using Number = std::size_t;

  [[noreturn]] void fail(const std::string& what) const;
  bool step(std::uint8_t code);
  bool step_text(std::uint8_t code);
  bool step_number(std::uint8_t code);
  bool step_memory(std::uint8_t code);
  bool step_container(std::uint8_t code);
  Number add(PickleValue value);
  void push(PickleValue value) { stack_.push_back(add(std::move(value))); }
  void push_text(std::uint64_t length, bool utf8);
  void push_name(std::string name);
  Number pop();
  std::vector<Number> pop_to_mark();
  PickleValue& top(PickleKind kind);
  void push_tuple(std::size_t count);
  void long_integer(std::uint64_t length);
  void append(std::vector<Number> items, PickleKind kind);
  void remember(std::uint64_t place);
  void recall(std::uint64_t place);
  void persistent();
  void reduce();
  PickleValue tensor_of(const PickleValue& arguments) const;
  std::vector<Index> sizes_of(Number number) const;
  std::string line();

  ByteReader bytes_;
  std::string name_;
  std::deque<PickleValue> values_;
  std::vector<Number> stack_, marks_, memory_;
};

}  // namespace heed::interchange
