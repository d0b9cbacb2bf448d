#include "interchange/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "interchange/shown.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

constexpr const char* within = "a pickle";
constexpr std::size_t no_value = std::numeric_limits<std::size_t>::max();

// Opcodes, by their names in Python's pickletools.
enum Code : std::uint8_t {
  mark = '(',
  stop = '.',
  none = 'N',
  new_true = 0x88,
  new_false = 0x89,
  bin_int = 'J',
  bin_int1 = 'K',
  bin_int2 = 'M',
  long1 = 0x8a,
  long4 = 0x8b,
  bin_float = 'G',
  bin_unicode = 'X',
  short_bin_unicode = 0x8c,
  bin_string = 'T',
  short_bin_string = 'U',
  bin_bytes = 'B',
  short_bin_bytes = 'C',
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  empty_list = ']',
  append_one = 'a',
  append_all = 'e',
  empty_dict = '}',
  set_item = 's',
  set_items = 'u',
  bin_put = 'q',
  long_bin_put = 'r',
  memoize = 0x94,
  bin_get = 'h',
  long_bin_get = 'j',
  protocol = 0x80,
  frame = 0x95,
  global = 'c',
  stack_global = 0x93,
  bin_persistent = 'Q',
  reduce_ = 'R',
  build = 'b'
};

constexpr const char* ordered_dict = "collections.OrderedDict";
constexpr const char* rebuild_tensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* rebuild_parameter = "torch._utils._rebuild_parameter";

constexpr std::pair<std::string_view, StoredForm> storages[] = {
    {"torch.FloatStorage", StoredForm::f32},     {"torch.HalfStorage", StoredForm::f16},
    {"torch.BFloat16Storage", StoredForm::bf16}, {"torch.LongStorage", StoredForm::int64},
    {"torch.IntStorage", StoredForm::int32},     {"torch.ShortStorage", StoredForm::int16}};

const StoredForm* storage_form(std::string_view name) {
  const auto* found = std::find_if(std::begin(storages), std::end(storages),
                                   [&](const auto& storage) { return storage.first == name; });
  return found == std::end(storages) ? nullptr : &found->second;
}

bool is_known(std::string_view name) {
  return name == ordered_dict || name == rebuild_tensor || name == rebuild_parameter || storage_form(name) != nullptr;
}

}  // namespace

void PickleReader::fail(const std::string& what) const { throw Error(fmt::format("'{}': {}", name_, what)); }

const PickleValue& PickleReader::read() {
  stack_.clear();
  marks_.clear();
  memory_.clear();
  while (true) {
    const auto code = bytes_.number<std::uint8_t>(within);
    if (code == stop) break;
    if (!step(code)) fail(fmt::format("the pickle's opcode {:#04x} is not one of a weight file; heed runs none", code));
  }
  if (stack_.size() != 1) fail("the pickle is damaged; fetch the file again");
  return at(stack_[0]);
}

bool PickleReader::step(std::uint8_t code) {
  if (step_number(code) || step_text(code) || step_memory(code) || step_container(code)) return true;
  switch (code) {
    case mark: marks_.push_back(stack_.size()); return true;
    case protocol: bytes_.take(1, within); return true;
    case frame: bytes_.take(8, within); return true;
    case global: {
      const std::string module = line();
      push_name(module + "." + line());
      return true;
    }
    case stack_global: {
      const std::string last = at(pop()).text;
      push_name(at(pop()).text + "." + last);
      return true;
    }
    case bin_persistent: persistent(); return true;
    case reduce_: reduce(); return true;
    case build:
      // The attributes of a dictionary of tensors, which are versions of modules.
      pop();
      top(PickleKind::dictionary);
      return true;
    default: return false;
  }
}

bool PickleReader::step_number(std::uint8_t code) {
  const auto integer = [&](std::int64_t value) {
    push({.kind = PickleKind::integer, .integer = value});
    return true;
  };
  switch (code) {
    case none: push({}); return true;
    case new_true: push({.kind = PickleKind::truth, .integer = 1}); return true;
    case new_false: push({.kind = PickleKind::truth}); return true;
    case bin_int: return integer(bytes_.number<std::int32_t>(within));
    case bin_int1: return integer(bytes_.number<std::uint8_t>(within));
    case bin_int2: return integer(bytes_.number<std::uint16_t>(within));
    case long1: long_integer(bytes_.number<std::uint8_t>(within)); return true;
    case long4: long_integer(bytes_.number<std::uint32_t>(within)); return true;
    case bin_float:
      bytes_.take(8, within);  // no weight is kept so
      push({.kind = PickleKind::real});
      return true;
    default: return false;
  }
}

bool PickleReader::step_text(std::uint8_t code) {
  switch (code) {
    case bin_unicode: push_text(bytes_.number<std::uint32_t>(within), true); return true;
    case short_bin_unicode: push_text(bytes_.number<std::uint8_t>(within), true); return true;
    // Texts of Python 2, and bytes.
    case bin_string:
    case bin_bytes: push_text(bytes_.number<std::uint32_t>(within), false); return true;
    case short_bin_string:
    case short_bin_bytes: push_text(bytes_.number<std::uint8_t>(within), false); return true;
    default: return false;
  }
}

bool PickleReader::step_memory(std::uint8_t code) {
  switch (code) {
    case bin_put: remember(bytes_.number<std::uint8_t>(within)); return true;
    case long_bin_put: remember(bytes_.number<std::uint32_t>(within)); return true;
    case memoize: remember(memory_.size()); return true;
    case bin_get: recall(bytes_.number<std::uint8_t>(within)); return true;
    case long_bin_get: recall(bytes_.number<std::uint32_t>(within)); return true;
    default: return false;
  }
}

bool PickleReader::step_container(std::uint8_t code) {
  switch (code) {
    case empty_tuple: push_tuple(0); return true;
    case tuple1: push_tuple(1); return true;
    case tuple2: push_tuple(2); return true;
    case tuple3: push_tuple(3); return true;
    case tuple: {
      std::vector<Number> items = pop_to_mark();
      push({.kind = PickleKind::tuple, .items = std::move(items)});
      return true;
    }
    case empty_list: push({.kind = PickleKind::list}); return true;
    case empty_dict: push({.kind = PickleKind::dictionary}); return true;
    case append_one: {
      const Number item = pop();
      append({item}, PickleKind::list);
      return true;
    }
    case append_all: append(pop_to_mark(), PickleKind::list); return true;
    case set_item: {
      const Number value = pop(), key = pop();
      append({key, value}, PickleKind::dictionary);
      return true;
    }
    case set_items: append(pop_to_mark(), PickleKind::dictionary); return true;
    default: return false;
  }
}

PickleReader::Number PickleReader::add(PickleValue value) {
  values_.push_back(std::move(value));
  return values_.size() - 1;
}

void PickleReader::push_text(std::uint64_t length, bool utf8) {
  const std::string_view text = bytes_.take(length, within);
  if (utf8 && find_invalid_utf8(text)) fail("a text in the pickle is not UTF-8; fetch the file again");
  push({.kind = PickleKind::text, .text = std::string(text)});
}

void PickleReader::push_name(std::string name) {
  if (!is_known(name)) {
    fail(
        fmt::format("the pickle names '{}', which is not part of a weight file and is not run; save the model as "
                    "safetensors",
                    shown(name)));
  }
  push({.kind = PickleKind::name, .text = std::move(name)});
}

// A name up to the end of its line.
std::string PickleReader::line() {
  std::string text;
  constexpr std::size_t longest = 200;
  for (char c = bytes_.number<char>(within); c != '\n'; c = bytes_.number<char>(within)) {
    if (text.size() == longest) fail("a name in the pickle is too long; fetch the file again");
    text += c;
  }
  return text;
}

PickleReader::Number PickleReader::pop() {
  if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())) {
    fail("the pickle is damaged; fetch the file again");
  }
  const Number number = stack_.back();
  stack_.pop_back();
  return number;
}

std::vector<std::size_t> PickleReader::pop_to_mark() {
  if (marks_.empty()) fail("the pickle is damaged; fetch the file again");
  std::vector<Number> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

PickleValue& PickleReader::top(PickleKind kind) {
  const bool there = !stack_.empty() && (marks_.empty() || marks_.back() < stack_.size());
  if (!there || values_[stack_.back()].kind != kind) fail("the pickle is damaged; fetch the file again");
  return values_[stack_.back()];
}

void PickleReader::push_tuple(std::size_t count) {
  PickleValue value{.kind = PickleKind::tuple};
  for (std::size_t i = 0; i < count; ++i) value.items.insert(value.items.begin(), pop());
  push(std::move(value));
}

void PickleReader::append(std::vector<Number> items, PickleKind kind) {
  std::vector<Number>& to = top(kind).items;
  if (kind == PickleKind::dictionary && items.size() % 2 != 0) fail("the pickle is damaged; fetch the file again");
  to.insert(to.end(), items.begin(), items.end());
}

// Little-endian, in two's complement.
void PickleReader::long_integer(std::uint64_t length) {
  const std::string_view digits = bytes_.take(length, within);
  if (length > sizeof(std::int64_t)) {
    push({.kind = PickleKind::long_integer, .text = std::string(digits)});
    return;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    const bool negative = !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80u) != 0;
    const unsigned byte = i < digits.size() ? static_cast<unsigned char>(digits[i]) : (negative ? 0xffu : 0u);
    value |= std::uint64_t{byte} << 8 * i;
  }
  push({.kind = PickleKind::integer, .integer = static_cast<std::int64_t>(value)});
}

void PickleReader::remember(std::uint64_t place) {
  // Writers number places in order.
  if (stack_.empty() || place > memory_.size() + 1) fail("the pickle is damaged; fetch the file again");
  if (place >= memory_.size()) memory_.resize(place + 1, no_value);
  memory_[place] = stack_.back();
}

void PickleReader::recall(std::uint64_t place) {
  if (place >= memory_.size() || memory_[place] == no_value) fail("the pickle is damaged; fetch the file again");
  stack_.push_back(memory_[place]);
}

// ("storage", class, key, device, count), with what older files add after it.
void PickleReader::persistent() {
  const PickleValue& id = at(pop());
  const bool long_enough = id.kind == PickleKind::tuple && id.items.size() >= 5;
  const StoredForm* form = long_enough ? storage_form(at(id.items[1]).text) : nullptr;
  if (form == nullptr || at(id.items[0]).text != "storage" || at(id.items[2]).kind != PickleKind::text ||
      at(id.items[4]).kind != PickleKind::integer) {
    fail("the pickle refers to something else than numbers of a known type; save the model as safetensors");
  }
  if (id.items.size() > 5 && at(id.items[5]).kind != PickleKind::none) {
    fail("the pickle has views into storages, which no writer of today makes; save the model again");
  }
  push({.kind = PickleKind::storage, .integer = at(id.items[4]).integer, .text = at(id.items[2]).text, .form = *form});
}

void PickleReader::reduce() {
  const PickleValue& arguments = at(pop());
  const PickleValue& function = at(pop());
  if (arguments.kind != PickleKind::tuple || function.kind != PickleKind::name) {
    fail("the pickle is damaged; fetch the file again");
  }
  if (function.text == ordered_dict && arguments.items.empty()) {
    push({.kind = PickleKind::dictionary});
  } else if (function.text == rebuild_tensor) {
    push(tensor_of(arguments));
  } else if (function.text == rebuild_parameter && !arguments.items.empty() &&
             at(arguments.items[0]).kind == PickleKind::tensor) {
    stack_.push_back(arguments.items[0]);
  } else {
    fail(fmt::format("the pickle uses '{}' in a way that no weight file does; save the model as safetensors",
                     function.text));
  }
}

// (storage, offset, sizes, strides, …)
PickleValue PickleReader::tensor_of(const PickleValue& arguments) const {
  const std::vector<Number>& items = arguments.items;
  if (items.size() < 4 || at(items[0]).kind != PickleKind::storage || at(items[1]).kind != PickleKind::integer) {
    fail("a tensor in the pickle is damaged; fetch the file again");
  }
  const PickleValue& storage = at(items[0]);
  return {.kind = PickleKind::tensor,
          .text = storage.text,
          .form = storage.form,
          .offset = at(items[1]).integer,
          .shape = sizes_of(items[2]),
          .strides = sizes_of(items[3])};
}

std::vector<Index> PickleReader::sizes_of(Number number) const {
  constexpr std::size_t most_dimensions = 8;
  const PickleValue& value = at(number);
  std::vector<Index> sizes;
  for (const Number item : value.items) {
    if (value.kind != PickleKind::tuple || at(item).kind != PickleKind::integer || sizes.size() == most_dimensions) {
      fail("a tensor in the pickle is damaged; fetch the file again");
    }
    sizes.push_back(at(item).integer);
  }
  return sizes;
}

}  // namespace heed::interchange
