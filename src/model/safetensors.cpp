#include "model/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/hash.h"
#include "base/json_values.h"
#include "base/one_line.h"
#include "heed/error.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::size_t length_field = 8;
constexpr std::size_t largest_header = std::size_t{64} << 20;
constexpr std::size_t data_alignment = 64;
constexpr const char* checksum_key = "checksum";

struct TypeFacts {
  const char* name;
  std::size_t size;
};

constexpr TypeFacts types[] = {{"F32", 4}, {"I8", 1}, {"I32", 4}};  // in the order of StoredType

const TypeFacts& facts_of(StoredType type) { return types[static_cast<std::size_t>(type)]; }

std::string checksum(const Metadata& metadata, std::span<const NamedTensor> tensors) {
  Hash hash;
  for (const auto& [key, value] : metadata) {
    if (key == checksum_key) continue;
    hash.add(key);
    hash.add(std::string_view("\0", 1));
    hash.add(value);
    hash.add(std::string_view("\0", 1));
  }
  for (const NamedTensor& tensor : tensors) {
    hash.add(tensor.name);
    hash.add(tensor.bytes);
  }
  return fmt::format("{:016x}", hash.value());
}

std::string header_text(std::span<const NamedTensor> tensors, const Metadata& metadata) {
  nlohmann::ordered_json header;
  header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    const std::size_t end = offset + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", facts_of(tensor.type).name}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((data_alignment - (length_field + text.size()) % data_alignment) % data_alignment, ' ');
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors, Metadata metadata) {
  metadata[checksum_key] = checksum(metadata, tensors);
  const std::string header = header_text(tensors, metadata);
  const std::uint64_t length = header.size();
  FileWriter file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const NamedTensor& tensor : tensors) file.write(tensor.bytes);
  file.commit();
}

Safetensors::Safetensors(const std::filesystem::path& path) : path_(path), file_(path) { read_header(); }

void Safetensors::fail(const std::string& what) const {
  throw Error(fmt::format("'{}': {}; it is damaged or not a safetensors file; replace it with an intact copy",
                          path_.string(), what));
}

// Names are unique, and nothing is nested deeper than a shape in the entry of a tensor, so memory stays proportional to
// the text.
nlohmann::json Safetensors::parse_header(std::string_view text) const {
  constexpr int deepest = 2;
  std::set<std::string> names;
  const auto look = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    const bool begins =
        event == nlohmann::json::parse_event_t::object_start || event == nlohmann::json::parse_event_t::array_start;
    if (begins && depth > deepest) fail("its header is nested too deeply");
    if (event == nlohmann::json::parse_event_t::key && depth == 1) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names.insert(name).second) fail(fmt::format("tensor '{}' appears twice", one_line(name)));
    }
    return true;
  };
  auto header = nlohmann::json::parse(text.begin(), text.end(), look, false);
  if (!header.is_object()) fail("its header is not JSON");
  return header;
}

void Safetensors::read_header() {
  const std::span<const std::byte> bytes = file_.bytes();
  std::uint64_t length = 0;
  if (bytes.size() < length_field) fail("it has fewer than 8 bytes");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > largest_header || length > bytes.size() - length_field) fail("its header is longer than the file");
  if ((length_field + length) % alignof(float) != 0) fail("its tensors are not aligned");
  const auto header = parse_header({reinterpret_cast<const char*>(bytes.data() + length_field), length});
  const std::span<const std::byte> data = bytes.subspan(length_field + length);
  for (const auto& [name, entry] : header.items()) {
    std::string type;
    std::vector<Index> shape, offsets;
    try {
      if (name == "__metadata__") {
        metadata_ = entry.get<Metadata>();
        continue;
      }
      type = entry.at("dtype").get<std::string>();
      shape = whole_numbers_at(entry, "shape");
      offsets = whole_numbers_at(entry, "data_offsets");
    } catch (const std::exception&) {
      fail(fmt::format("its header does not say what '{}' is", one_line(name)));
    }
    tensors_.push_back(read_entry(name, data, type, shape, offsets));
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const NamedTensor& a, const NamedTensor& b) {
    return std::pair(a.bytes.data(), a.bytes.size()) < std::pair(b.bytes.data(), b.bytes.size());
  });
  std::size_t end = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].bytes.data() != data.data() + end) {
      fail(fmt::format("tensor '{}' overlaps another or leaves a gap", one_line(tensors_[i].name)));
    }
    end += tensors_[i].bytes.size();
    by_name_[tensors_[i].name] = i;
  }
  if (end != data.size()) fail(fmt::format("it has {} bytes of tensors where the header says {}", data.size(), end));
}

NamedTensor Safetensors::read_entry(const std::string& name, std::span<const std::byte> data, const std::string& dtype,
                                    const std::vector<Index>& shape, const std::vector<Index>& offsets) const {
  constexpr std::size_t most_dimensions = 8;
  const auto* type = std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.name == dtype; });
  if (type == std::end(types)) fail(fmt::format("tensor '{}' is neither F32 nor I8 nor I32", one_line(name)));
  if (shape.size() > most_dimensions) fail(fmt::format("tensor '{}' has too many dimensions", one_line(name)));
  // Sizes are bounded one by one first, so that no product can overflow.
  const auto most = static_cast<Index>(data.size());
  Index count = 1;
  for (const Index size : shape) {
    if (size < 0 || (size > 0 && count > most / size)) {
      fail(fmt::format("tensor '{}' is larger than the file", one_line(name)));
    }
    count *= size;
  }
  const bool within = offsets.size() == 2 && offsets[0] >= 0 && offsets[0] <= offsets[1] && offsets[1] <= most;
  const auto size = static_cast<Index>(type->size);
  if (!within || offsets[0] % size != 0 || (offsets[1] - offsets[0]) % size != 0 ||
      (offsets[1] - offsets[0]) / size != count) {
    fail(fmt::format("the offsets of tensor '{}' do not fit the file or its shape", one_line(name)));
  }
  return {name, shape, static_cast<StoredType>(type - std::begin(types)),
          data.subspan(static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(offsets[1] - offsets[0]))};
}

const NamedTensor* Safetensors::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

const NamedTensor& Safetensors::get(const std::string& name, const std::vector<Index>& shape, StoredType type) const {
  const NamedTensor* found = find(name);
  if (found == nullptr) {
    throw Error(
        fmt::format("'{}': tensor '{}' is missing; file and config.json do not belong together", path_.string(), name));
  }
  if (found->shape != shape || found->type != type) {
    throw Error(
        fmt::format("'{}': tensor '{}' is {} of shape [{}], but config.json needs {} of [{}]; they do not "
                    "belong together",
                    path_.string(), name, facts_of(found->type).name, fmt::join(found->shape, ", "),
                    facts_of(type).name, fmt::join(shape, ", ")));
  }
  return *found;
}

void Safetensors::surplus(const std::string& name) const {
  throw Error(
      fmt::format("'{}': config.json has no place for tensor '{}'; they do not belong together: put the model's "
                  "own config.json back",
                  path_.string(), one_line(name)));
}

void Safetensors::verify() const {
  const auto found = metadata_.find(checksum_key);
  if (found == metadata_.end()) fail("it has no checksum");
  if (found->second != checksum(metadata_, tensors_)) fail("its checksum does not match its bytes");
}

}  // namespace heed
