// Containers of tensors: safetensors, and PyTorch's files.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "interchange/make_archive.h"
#include "interchange/small_peers.h"

namespace heed::interchange {
namespace {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint16_t to_half(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float size = std::abs(value);
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);
  if (size == 0.0f || exponent < -13)
    return static_cast<std::uint16_t>(sign | static_cast<int>(std::nearbyint(size * 0x1p24f)));
  // A fraction that is rounded up to 2 adds one to the exponent.
  const int digits = static_cast<int>(std::nearbyint((2.0f * fraction - 1.0f) * 1024.0f));
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + digits));
}

float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, digits = half & 1023;
  const float size = exponent == 0 ? static_cast<float>(digits) * 0x1p-24f
                                   : std::ldexp(1.0f + static_cast<float>(digits) / 1024.0f, exponent - 15);
  return (half & 0x8000) != 0 ? -size : size;
}

const char* storage_class(SmallForm form) {
  switch (form) {
    case SmallForm::f32: return "FloatStorage";
    case SmallForm::f16: return "HalfStorage";
    case SmallForm::bf16: return "BFloat16Storage";
  }
  return "";
}

Index width(SmallForm form) { return form == SmallForm::f32 ? 4 : 2; }

// Pickle opcodes of protocol 2.
std::string text(const std::string& value) { return 'X' + raw(static_cast<std::uint32_t>(value.size())) + value; }
std::string integer(Index value) { return 'J' + raw(static_cast<std::int32_t>(value)); }
std::string name(const std::string& module, const std::string& attribute) {
  return 'c' + module + '\n' + attribute + '\n';
}
std::string tuple(const std::string& items) { return '(' + items + 't'; }

std::string pickled_tensor(const SmallStored& tensor, const std::string& key, bool old) {
  const Index count = static_cast<Index>(tensor.bytes.size()) / width(tensor.form);
  const std::string id = tuple(text("storage") + name("torch", storage_class(tensor.form)) + text(key) + text("cpu") +
                               integer(count) + (old ? "N" : ""));
  std::string shape, strides;
  Index step = count;
  for (const Index size : tensor.shape) {
    shape += integer(size);
    strides += integer(step /= size);
  }
  const std::string hooks = name("collections", "OrderedDict") + ")R";
  return name("torch._utils", "_rebuild_tensor_v2") +
         tuple(id + "Q" + integer(0) + tuple(shape) + tuple(strides) + "\x89" + hooks) + "R";
}

std::string dictionary_of(const std::vector<SmallStored>& tensors, bool old) {
  std::string items;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    items += text(tensors[i].name) + pickled_tensor(tensors[i], std::to_string(i), old);
  }
  // The place in the memory is for nothing here, but writers always name one.
  return "\x80\x02" + name("collections", "OrderedDict") + ")Rq" + std::string(1, '\0') + "(" + items + "u";
}

}  // namespace

SmallMarian rounded_to(SmallMarian model, SmallForm form) {
  for (auto& [key, tensor] : model.tensors) {
    for (float& value : tensor.values) {
      if (form == SmallForm::f16) value = from_half(to_half(value));
      if (form == SmallForm::bf16) value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000u);
    }
  }
  return model;
}

std::string make_safetensors(const std::vector<SmallStored>& tensors) {
  constexpr const char* types[] = {"F32", "F16", "BF16"};
  std::string header = R"({"__metadata__":{"format":"pt"})", data;
  for (const SmallStored& tensor : tensors) {
    header += fmt::format(R"(,"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", tensor.name,
                          types[static_cast<int>(tensor.form)], fmt::join(tensor.shape, ","), data.size(),
                          data.size() + tensor.bytes.size());
    data += tensor.bytes;
  }
  header += '}';
  return raw(static_cast<std::uint64_t>(header.size())) + header + data;
}

std::string make_pickle(const std::vector<SmallStored>& tensors) { return dictionary_of(tensors, false) + "."; }

std::string make_pytorch_zip(const std::vector<SmallStored>& tensors) {
  std::vector<ArchiveFile> files{{"archive/data.pkl", make_pickle(tensors)}, {"archive/byteorder", "little"}};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    files.push_back({"archive/data/" + std::to_string(i), tensors[i].bytes});
  }
  files.push_back({"archive/version", "3\n"});
  return make_archive(files, Packing::stored_zip);
}

std::string make_pytorch_pickles(const std::vector<SmallStored>& tensors) {
  std::string file = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  file += "\x80\x02M\xe9\x03.";
  file += "\x80\x02}(" + text("little_endian") + "\x88u.";
  file += dictionary_of(tensors, true) + "}" + text("_metadata") + "}sb.";
  std::string keys;
  for (std::size_t i = 0; i < tensors.size(); ++i) keys += text(std::to_string(i));
  file += "\x80\x02](" + keys + "e.";
  for (const SmallStored& tensor : tensors) {
    file += raw(static_cast<std::uint64_t>(tensor.bytes.size()) / static_cast<std::uint64_t>(width(tensor.form)));
    file += tensor.bytes;
  }
  return file;
}

std::string stored_bytes(const std::vector<float>& values, SmallForm form) {
  std::string bytes;
  for (const float value : values) {
    switch (form) {
      case SmallForm::f32: bytes += raw(value); break;
      case SmallForm::f16: bytes += raw(to_half(value)); break;
      case SmallForm::bf16: bytes += raw(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16)); break;
    }
  }
  return bytes;
}

}  // namespace heed::interchange
