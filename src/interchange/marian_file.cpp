#include "interchange/marian_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "heed/error.h"
#include "interchange/byte_reader.h"
#include "interchange/npy.h"
#include "interchange/shown.h"

namespace heed::interchange {
namespace {

constexpr std::string_view options_name = "special:model.yml";
constexpr std::string_view npy_suffix = ".npy";

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}", name, what));
}

// Biases and norms are (1, n); all else has two dimensions.
void set_shape(MarianTensor& tensor, const std::vector<Index>& shape, const std::string& place) {
  std::size_t first = 0;
  while (first + 2 < shape.size() && shape[first] == 1) ++first;
  if (shape.empty() || shape.size() - first > 2) {
    throw Error(fmt::format("{} has {} dimensions; heed imports vectors and matrices", place, shape.size()));
  }
  tensor.rows = shape.size() == 1 ? 1 : shape[first];
  tensor.cols = shape.back();
  if (tensor.rows == 0 || tensor.cols == 0) throw Error(fmt::format("{} is empty; fetch the file again", place));
}

// The text is padded with NUL.
std::string options_text(std::string_view bytes) { return std::string(bytes.substr(0, bytes.find('\0'))); }

// A type of a .bin file: a class of numbers, and the size of one in the lowest byte.
constexpr std::uint64_t type_f32 = 0x404;
constexpr std::uint64_t type_int8 = 0x101;
// Bergamot's number of the type, and Marian's own.
constexpr std::uint64_t types_intgemm8[] = {0x4101, 0x10001};

std::string type_name(std::uint64_t type) {
  switch (type) {
    case 0x402: return "f16";
    case 0x4102:
    case 0x10002: return "intgemm16";
    case 0x18001: return "intgemm8ssse3";
    case 0x11001: return "intgemm8avx2";
    case 0x12001: return "intgemm8avx512";
    case 0x802: return "packed16";
    case 0x1801: return "packed8avx2";
    case 0x2801: return "packed8avx512";
    default: return fmt::format("{:#x}", type);
  }
}

struct BinHeader {
  std::uint64_t name_size, type, dimensions, bytes;
};

struct BinItem {
  BinHeader header{};
  std::string name;
  std::vector<Index> shape;
  std::string_view bytes;
};

constexpr std::uint64_t most_dimensions = 8;

std::vector<BinItem> read_items(std::string_view bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  reader.number<std::uint64_t>("its header");  // the version, checked by is_marian_bin
  const auto count = reader.number<std::uint64_t>("its header");
  if (count > reader.left() / sizeof(BinHeader)) fail(name, "the file ends within its header; fetch it again");
  std::vector<BinItem> items(count);
  for (BinItem& item : items) item.header = reader.number<BinHeader>("its header");
  for (BinItem& item : items) {
    const std::string_view text = reader.take(item.header.name_size, "the names of its tensors");
    item.name = text.substr(0, text.find('\0'));
  }
  for (BinItem& item : items) {
    if (item.header.dimensions > most_dimensions) fail(name, fmt::format("'{}' is damaged", shown(item.name)));
    for (std::uint64_t i = 0; i < item.header.dimensions; ++i) {
      item.shape.push_back(reader.number<std::int32_t>("the shapes of its tensors"));
    }
  }
  reader.take(reader.number<std::uint64_t>("its header"), "its header");  // fills up to a multiple of 256 bytes
  for (BinItem& item : items) item.bytes = reader.take(item.header.bytes, "its tensors");
  return items;
}

MarianTensor bin_tensor(const BinItem& item, const std::string& name) {
  const std::string place = fmt::format("'{}': tensor '{}'", name, shown(item.name));
  const bool f32 = item.header.type == type_f32;
  const bool intgemm8 =
      std::find(std::begin(types_intgemm8), std::end(types_intgemm8), item.header.type) != std::end(types_intgemm8);
  if (!f32 && !intgemm8) {
    throw Error(
        fmt::format("{} has numbers of the type {}; heed imports f32 and intgemm8: convert the model's .npz "
                    "file with one of these",
                    place, type_name(item.header.type)));
  }
  if (std::any_of(item.shape.begin(), item.shape.end(), [](Index size) { return size < 0; })) {
    throw Error(fmt::format("{} has a negative size; fetch the file again", place));
  }
  MarianTensor tensor;
  set_shape(tensor, item.shape, place);
  // Sizes are 32-bit integers, so their product fits.
  const auto count = static_cast<std::uint64_t>(tensor.rows * tensor.cols);
  const std::uint64_t need = f32 ? 4 * count : count + sizeof(float);
  if (item.bytes.size() < need) throw Error(fmt::format("{} is cut off; fetch the file again", place));
  tensor.bytes = item.bytes.substr(0, f32 ? need : count);
  if (f32) return tensor;
  tensor.type = MarianType::intgemm8;
  tensor.transposed = item.name.find("Wemb") == std::string::npos;
  std::memcpy(&tensor.multiplier, item.bytes.data() + count, sizeof(float));
  if (!std::isfinite(tensor.multiplier) || tensor.multiplier <= 0.0f || !std::isfinite(1.0f / tensor.multiplier)) {
    throw Error(fmt::format("{} has no valid multiplier; fetch the file again", place));
  }
  return tensor;
}

void require_options(const MarianFile& file) {
  if (file.options.empty()) {
    fail(file.name, "there is no special:model.yml in it, which says how its tensors are used; pass a model file");
  }
}

}  // namespace

std::int8_t MarianTensor::integer(Index position) const {
  return static_cast<std::int8_t>(bytes[static_cast<std::size_t>(position)]);
}

float MarianTensor::number(Index position) const {
  if (type == MarianType::intgemm8) return static_cast<float>(integer(position)) / multiplier;
  float value;
  std::memcpy(&value, bytes.data() + position * static_cast<Index>(sizeof value), sizeof value);
  return value;
}

const MarianTensor* MarianFile::find(const std::string& tensor) const {
  const auto found = tensors.find(tensor);
  return found == tensors.end() ? nullptr : &found->second;
}

bool is_marian_npz(const std::vector<ArchiveFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const ArchiveFile& file) {
    return file.name.starts_with(options_name) && file.name.ends_with(npy_suffix);
  });
}

MarianFile read_marian_npz(std::vector<ArchiveFile> files, const std::string& name) {
  MarianFile model;
  model.name = name;
  model.unpacked = std::move(files);
  for (const ArchiveFile& file : model.unpacked) {
    if (!file.name.ends_with(npy_suffix)) fail(name, fmt::format("'{}' in it is not an array", shown(file.name)));
    const std::string key = file.name.substr(0, file.name.size() - npy_suffix.size());
    const std::string place = fmt::format("{}: {}", name, shown(key));
    const NpyArray array = read_npy(file.bytes, place);
    if (key == options_name) {
      if (array.type != "<i1" && array.type != "|i1") fail(place, "this is not text; fetch the file again");
      model.options = options_text(array.bytes);
      continue;
    }
    if (array.type != "<f4") {
      fail(place, fmt::format("numbers of the type '{}'; heed imports f32 ('<f4')", shown(array.type)));
    }
    MarianTensor tensor;
    set_shape(tensor, array.shape, fmt::format("'{}'", place));
    tensor.bytes = array.bytes;
    model.tensors.emplace(key, tensor);
  }
  require_options(model);
  return model;
}

bool is_marian_bin(std::string_view bytes) {
  constexpr std::uint64_t version = 1;
  if (bytes.size() < 2 * sizeof(std::uint64_t)) return false;
  std::uint64_t found;
  std::memcpy(&found, bytes.data(), sizeof found);
  return found == version;
}

MarianFile read_marian_bin(std::string_view bytes, const std::string& name) {
  MarianFile model;
  model.name = name;
  for (const BinItem& item : read_items(bytes, name)) {
    if (item.name == options_name) {
      if (item.header.type != type_int8) fail(name, "special:model.yml in it is not text; fetch it again");
      model.options = options_text(item.bytes);
      continue;
    }
    if (!model.tensors.emplace(item.name, bin_tensor(item, name)).second) {
      fail(name, fmt::format("tensor '{}' is in it twice; fetch it again", shown(item.name)));
    }
  }
  require_options(model);
  return model;
}

}  // namespace heed::interchange
