#include "interchange/pytorch_file.h"

#include <fmt/format.h>

#include <cstring>

#include "heed/error.h"
#include "interchange/pickle.h"
#include "interchange/shown.h"

namespace heed::interchange {
namespace {

using namespace std::string_view_literals;

// The number that begins a file of the older form, as a pickle.
constexpr std::string_view magic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
constexpr std::string_view magic_pickle = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;

using Storages = std::map<std::string, std::string_view>;

std::string place_of(const std::string& name, const std::string& tensor) {
  return fmt::format("'{}': tensor '{}'", name, shown(tensor));
}

// Numbers one after the other, the last dimension fastest.
bool in_order(const PickleValue& tensor) {
  if (tensor.strides.size() != tensor.shape.size()) return false;
  Index step = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] < 0) return false;
    if (tensor.shape[i] != 1 && tensor.strides[i] != step) return false;
    if (tensor.shape[i] != 0 && step > (Index{1} << 40) / tensor.shape[i]) return false;
    step *= tensor.shape[i];
  }
  return true;
}

StoredTensor stored(const PickleValue& tensor, const Storages& storages, const std::string& place) {
  if (!in_order(tensor)) throw Error(fmt::format("{} is not stored row by row; save the model again", place));
  const auto found = storages.find(tensor.text);
  if (found == storages.end()) throw Error(fmt::format("{} has no numbers in the file; fetch it again", place));
  Index count = 1;
  for (const Index size : tensor.shape) count *= size;
  const auto width = bytes_of(tensor.form);
  const auto all = static_cast<Index>(found->second.size()) / width;
  if (tensor.offset < 0 || tensor.offset > all || count > all - tensor.offset) {
    throw Error(fmt::format("{} lies outside of its numbers; fetch the file again", place));
  }
  return {
      tensor.form,
      tensor.shape,
      found->second.substr(static_cast<std::size_t>(tensor.offset * width), static_cast<std::size_t>(count * width)),
      {}};
}

StoredTensors tensors_of(const PickleReader& pickle, const PickleValue& all, const Storages& storages,
                         const std::string& name) {
  if (all.kind != PickleKind::dictionary) throw Error(fmt::format("'{}': there is no dictionary of tensors", name));
  StoredTensors tensors;
  for (std::size_t i = 0; i + 1 < all.items.size(); i += 2) {
    const PickleValue& key = pickle.at(all.items[i]);
    const PickleValue& value = pickle.at(all.items[i + 1]);
    const std::string place = place_of(name, key.text);
    if (key.kind != PickleKind::text || value.kind != PickleKind::tensor) {
      throw Error(fmt::format("{} is not a tensor; pass the weights alone, as save_pretrained writes them", place));
    }
    if (!tensors.emplace(key.text, stored(value, storages, place)).second) {
      throw Error(fmt::format("{} is in it twice; fetch the file again", place));
    }
  }
  return tensors;
}

// X/data.pkl, X/data/0, X/data/1 …
PytorchFile read_zip(std::string_view bytes, const std::string& name) {
  constexpr std::string_view pickle_file = "data.pkl", order_file = "byteorder", folder = "data/";
  PytorchFile file;
  file.unpacked = read_archive(bytes, name);
  Storages storages;
  const ArchiveFile* pickle = nullptr;
  for (const ArchiveFile& packed : file.unpacked) {
    const std::string_view inner = std::string_view(packed.name).substr(packed.name.find('/') + 1);
    if (inner == pickle_file) pickle = &packed;
    if (inner == order_file && packed.bytes != "little") {
      throw Error(fmt::format("'{}': its numbers are not little-endian; save it on another machine", name));
    }
    if (inner.starts_with(folder)) storages[std::string(inner.substr(folder.size()))] = packed.bytes;
  }
  if (pickle == nullptr) throw Error(fmt::format("'{}': there is no data.pkl in it; pass a weight file", name));
  PickleReader reader(pickle->bytes, name);
  const PickleValue& all = reader.read();
  file.tensors = tensors_of(reader, all, storages, name);
  return file;
}

// The counts that the tensors' persistent ids promise are not needed: each storage begins with its own.
PytorchFile read_pickles(std::string_view bytes, const std::string& name) {
  constexpr std::int64_t known_version = 1001;
  PickleReader reader(bytes, name);
  if (reader.read().text != magic || reader.read().integer != known_version) {
    throw Error(fmt::format("'{}': a PyTorch file of an unknown version; save the model again", name));
  }
  reader.read();  // about the machine: sizes of types, and that it was little-endian
  const PickleValue& all = reader.read();
  std::map<std::string, StoredForm> forms;
  for (const std::size_t item : all.items) {
    const PickleValue& value = reader.at(item);
    if (value.kind == PickleKind::tensor) forms[value.text] = value.form;
  }
  const PickleValue& keys = reader.read();
  Storages storages;
  for (const std::size_t item : keys.items) {
    const std::string& key = reader.at(item).text;
    const auto form = forms.find(key);
    if (form == forms.end()) throw Error(fmt::format("'{}': numbers of no tensor are in it; save it again", name));
    const auto count = reader.rest().number<std::uint64_t>("its numbers");
    if (count > bytes.size()) throw Error(fmt::format("'{}': the file ends within its numbers; fetch it again", name));
    storages[key] = reader.rest().take(count * static_cast<std::uint64_t>(bytes_of(form->second)), "its numbers");
  }
  PytorchFile file;
  file.tensors = tensors_of(reader, all, storages, name);
  return file;
}

}  // namespace

bool is_pytorch_zip(std::string_view bytes) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (!is_zip(bytes) || bytes.size() < name_at) return false;
  std::uint16_t length;
  std::memcpy(&length, bytes.data() + length_at, sizeof length);
  return bytes.substr(name_at, length).ends_with("/data.pkl");
}

bool is_pytorch_pickle(std::string_view bytes) { return bytes.starts_with(magic_pickle); }

PytorchFile read_pytorch(std::string_view bytes, const std::string& name) {
  if (is_pytorch_zip(bytes)) return read_zip(bytes, name);
  if (is_pytorch_pickle(bytes)) return read_pickles(bytes, name);
  throw Error(fmt::format("'{}': not a weight file of PyTorch; pass pytorch_model.bin or model.safetensors", name));
}

}  // namespace heed::interchange
