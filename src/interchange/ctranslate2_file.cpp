#include "interchange/ctranslate2_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/files.h"
#include "base/one_line.h"
#include "heed/error.h"
#include "interchange/byte_reader.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

constexpr std::uint32_t oldest = 2, newest = 6;
constexpr std::uint32_t first_with_aliases = 3, first_with_types = 4;
constexpr std::string_view scale_suffix = "_scale";
// What heed's export adds: its own scales, which are the reciprocals of the others as far as f32 has them.
constexpr std::string_view reciprocal_suffix = "_reciprocal";

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}': {}", name, what));
}

// With its NUL.
std::string read_text(ByteReader& reader, const std::string& name) {
  const std::string_view text = reader.take(reader.number<std::uint16_t>("a name"), "a name");
  if (text.empty() || text.back() != '\0' || find_invalid_utf8(text)) fail(name, "a name is damaged; fetch it again");
  return std::string(text.substr(0, text.size() - 1));
}

// By their numbers in the file.
constexpr StoredForm forms[] = {StoredForm::f32,   StoredForm::int8, StoredForm::int16,
                                StoredForm::int32, StoredForm::f16,  StoredForm::bf16};

std::uint8_t type_of(StoredForm form) {
  return static_cast<std::uint8_t>(std::find(std::begin(forms), std::end(forms), form) - std::begin(forms));
}

StoredForm form_of(std::uint8_t type, const std::string& place) {
  if (type >= std::size(forms)) throw Error(fmt::format("{} has numbers of the unknown type {}", place, type));
  return forms[type];
}

// Before there were types, the size of a number told what it is.
StoredForm form_of_size(std::uint8_t size, const std::string& place) {
  switch (size) {
    case 1: return StoredForm::int8;
    case 2: return StoredForm::int16;
    case 4: return StoredForm::f32;
    default: throw Error(fmt::format("{} has numbers of {} bytes, which none has; fetch the file again", place, size));
  }
}

StoredTensor read_variable(ByteReader& reader, std::uint32_t version, const std::string& place) {
  constexpr const char* what = "a variable";
  StoredTensor tensor;
  const auto rank = reader.number<std::uint8_t>(what);
  for (unsigned i = 0; i < rank; ++i) tensor.shape.push_back(reader.number<std::uint32_t>(what));
  const auto type = reader.number<std::uint8_t>(what);
  std::uint64_t bytes = 0;
  if (version >= first_with_types) {
    tensor.form = form_of(type, place);
    bytes = reader.number<std::uint32_t>(what);
  } else {
    tensor.form = form_of_size(type, place);
    bytes = std::uint64_t{reader.number<std::uint32_t>(what)} * type;
  }
  tensor.bytes = reader.take(bytes, what);
  check_size(tensor, place);
  return tensor;
}

// Left out unless they are what they should be.
void take_reciprocals(const StoredTensors& variables, const std::string& name, StoredTensor& tensor) {
  const auto found = variables.find(name + std::string(reciprocal_suffix));
  if (found == variables.end()) return;
  const StoredTensor& reciprocals = found->second;
  if (reciprocals.form != StoredForm::f32 || reciprocals.size() != static_cast<Index>(tensor.scales.size())) return;
  std::vector<float> values;
  for (Index i = 0; i < reciprocals.size(); ++i) {
    values.push_back(reciprocals.number(i));
    const float scale = tensor.scales[static_cast<std::size_t>(i)];
    const bool of_zeros = values.back() == 0.0f && scale == 1.0f;
    if (!of_zeros && 1.0f / values.back() != scale) return;
  }
  tensor.reciprocals = std::move(values);
}

// Takes the scale of a tensor of integers from the variable that holds it.
void take_scale(StoredTensors& variables, const std::string& name, const std::string& file) {
  StoredTensor& tensor = variables.at(name);
  const auto found = variables.find(name + std::string(scale_suffix));
  const std::string place = fmt::format("'{}': '{}'", file, one_line(name));
  if (found == variables.end())
    throw Error(fmt::format("{} has integers without a scale; fetch the file again", place));
  const StoredTensor& scale = found->second;
  if (scale.form != StoredForm::f32 || (scale.size() != 1 && scale.size() != tensor.rows())) {
    throw Error(fmt::format("{} has a scale that does not fit it; fetch the file again", place));
  }
  for (Index i = 0; i < scale.size(); ++i) {
    const float value = scale.number(i);
    if (!std::isfinite(value) || value <= 0.0f || !std::isfinite(1.0f / value)) {
      throw Error(fmt::format("{} has a scale that is not a positive number; fetch the file again", place));
    }
    tensor.scales.push_back(value);
  }
  take_reciprocals(variables, name, tensor);
}

bool is_quantised(const std::string& name, const StoredTensor& tensor) {
  const bool integers = tensor.form == StoredForm::int8 || tensor.form == StoredForm::int16;
  return integers && name.ends_with("/weight") && !tensor.shape.empty();
}

void take_scales(StoredTensors& variables, const std::string& file) {
  std::vector<std::string> quantised;
  for (const auto& [name, tensor] : variables) {
    if (is_quantised(name, tensor)) quantised.push_back(name);
  }
  for (const std::string& name : quantised) take_scale(variables, name, file);
  for (const std::string& name : quantised) {
    variables.erase(name + std::string(scale_suffix));
    variables.erase(name + std::string(reciprocal_suffix));
  }
}

// An alias stands for the scale of its variable, too.
void add_alias(StoredTensors& variables, const std::string& alias, const std::string& name, const std::string& file) {
  const auto found = variables.find(name);
  if (found == variables.end()) fail(file, fmt::format("'{}' is an alias of nothing; fetch it again", one_line(alias)));
  const bool added = variables.emplace(alias, found->second).second;
  if (!added) fail(file, fmt::format("'{}' is in it twice; fetch it again", one_line(alias)));
  for (const std::string_view suffix : {scale_suffix, reciprocal_suffix}) {
    const auto scale = variables.find(name + std::string(suffix));
    if (scale != variables.end()) variables.emplace(alias + std::string(suffix), scale->second);
  }
}

}  // namespace

bool is_ctranslate2_file(std::string_view bytes) {
  constexpr std::size_t text_at = 6;
  if (bytes.size() < text_at) return false;
  std::uint32_t version = 0;
  std::uint16_t length = 0;
  std::memcpy(&version, bytes.data(), sizeof version);
  std::memcpy(&length, bytes.data() + sizeof version, sizeof length);
  // In later versions the name of the specification follows, in the first one the number of variables.
  if (version == 1) return length != 0;
  constexpr std::uint32_t latest_thinkable = 100;
  const std::string_view text = bytes.substr(text_at, length);
  return version <= latest_thinkable && version > 1 && length > 1 && text.size() == length && text.back() == '\0' &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == length - 1u;
}

Ctranslate2File read_ctranslate2_file(std::string_view bytes, const std::string& name) {
  ByteReader reader(bytes, name);
  Ctranslate2File file;
  file.version = reader.number<std::uint32_t>("its header");
  if (file.version < oldest || file.version > newest) {
    fail(name,
         fmt::format("CTranslate2's binary version {}; heed imports {} to {}: convert the model again with one of "
                     "these",
                     file.version, oldest, newest));
  }
  file.spec = read_text(reader, name);
  file.revision = reader.number<std::uint32_t>("its header");
  const auto count = reader.number<std::uint32_t>("its header");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string variable = read_text(reader, name);
    const std::string place = fmt::format("'{}': '{}'", name, one_line(variable));
    const bool added = file.variables.emplace(variable, read_variable(reader, file.version, place)).second;
    if (!added) throw Error(fmt::format("{} is in it twice; fetch it again", place));
  }
  if (file.version >= first_with_aliases) {
    const auto aliases = reader.number<std::uint32_t>("its aliases");
    for (std::uint32_t i = 0; i < aliases; ++i) {
      const std::string alias = read_text(reader, name);
      add_alias(file.variables, alias, read_text(reader, name), name);
    }
  }
  if (reader.left() != 0) fail(name, "there is more in it than its header says; fetch it again");
  take_scales(file.variables, name);
  return file;
}

void write_ctranslate2_file(const std::filesystem::path& file, std::span<const Ctranslate2Variable> variables,
                            const Ctranslate2Aliases& aliases) {
  constexpr std::uint32_t transformer_revision = 7;
  FileWriter out(file);
  const auto number = [&](auto value) { out.write(std::as_bytes(std::span(&value, 1))); };
  const auto text = [&](const std::string& value) {
    number(static_cast<std::uint16_t>(value.size() + 1));
    out.write(std::string_view(value.c_str(), value.size() + 1));
  };
  number(newest);
  text("TransformerSpec");
  number(transformer_revision);
  number(static_cast<std::uint32_t>(variables.size()));
  for (const Ctranslate2Variable& variable : variables) {
    if (variable.bytes.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(fmt::format("'{}' has {} bytes, more than CTranslate2's files can hold", variable.name,
                              variable.bytes.size()));
    }
    text(variable.name);
    number(static_cast<std::uint8_t>(variable.shape.size()));
    for (const Index size : variable.shape) number(static_cast<std::uint32_t>(size));
    number(type_of(variable.form));
    number(static_cast<std::uint32_t>(variable.bytes.size()));
    out.write(variable.bytes);
  }
  number(static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, name] : aliases) {
    text(alias);
    text(name);
  }
  out.commit();
}

}  // namespace heed::interchange
