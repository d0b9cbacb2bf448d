#include "interchange/safetensors_bytes.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_values.h"
#include "base/one_line.h"
#include "heed/error.h"

namespace heed::interchange {
namespace {

constexpr std::size_t length_field = 8;
constexpr std::size_t largest_header = std::size_t{64} << 20;
constexpr const char* again = "fetch the file again";

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

// Names are unique, and nothing is nested deeper than a shape in the entry of a tensor, so memory stays proportional to
// the text.
nlohmann::json parse_header(std::string_view text, const std::string& name) {
  constexpr int deepest = 2;
  std::set<std::string> names;
  const auto look = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if ((event == Event::object_start || event == Event::array_start) && depth > deepest) {
      throw Error(fmt::format("'{}': its header is nested too deeply; {}", name, again));
    }
    if (event == Event::key && depth == 1 && !names.insert(parsed.get_ref<const std::string&>()).second) {
      throw Error(fmt::format("'{}': tensor '{}' is in it twice; {}", name,
                              one_line(parsed.get_ref<const std::string&>()), again));
    }
    return true;
  };
  nlohmann::json header = nlohmann::json::parse(text.begin(), text.end(), look, false);
  if (!header.is_object()) throw Error(fmt::format("'{}': its header is not JSON; {}", name, again));
  return header;
}

StoredForm form_of(const std::string& type, const std::string& place) {
  if (type == "F32") return StoredForm::f32;
  if (type == "F16") return StoredForm::f16;
  if (type == "BF16") return StoredForm::bf16;
  if (type == "I64") return StoredForm::int64;
  if (type == "I32") return StoredForm::int32;
  throw Error(fmt::format("{} has numbers of the type {}; heed imports F32, F16 and BF16", place, one_line(type)));
}

StoredTensor read_tensor(const nlohmann::json& entry, std::string_view data, const std::string& place) {
  StoredTensor tensor;
  std::vector<Index> offsets;
  std::string type;
  try {
    type = text_at(entry, "dtype");
    tensor.shape = whole_numbers_at(entry, "shape");
    offsets = whole_numbers_at(entry, "data_offsets");
  } catch (const std::exception&) {
    throw Error(fmt::format("{} is not described in the header; {}", place, again));
  }
  tensor.form = form_of(type, place);
  const auto most = static_cast<Index>(data.size());
  if (offsets.size() != 2 || offsets[0] < 0 || offsets[0] > offsets[1] || offsets[1] > most) {
    throw Error(fmt::format("{} lies outside of the file; {}", place, again));
  }
  tensor.bytes = data.substr(static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(offsets[1] - offsets[0]));
  check_size(tensor, place);
  return tensor;
}

}  // namespace

bool is_safetensors(std::string_view bytes) {
  if (bytes.size() <= length_field) return false;
  const std::uint64_t length = header_length(bytes);
  return length > 0 && length <= largest_header && length <= bytes.size() - length_field && bytes[length_field] == '{';
}

StoredTensors read_safetensors(std::string_view bytes, const std::string& name) {
  if (!is_safetensors(bytes)) throw Error(fmt::format("'{}': not a safetensors file, or cut off; {}", name, again));
  const std::uint64_t length = header_length(bytes);
  const nlohmann::json header = parse_header(bytes.substr(length_field, length), name);
  const std::string_view data = bytes.substr(length_field + length);
  StoredTensors tensors;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") continue;
    tensors.emplace(key, read_tensor(entry, data, fmt::format("'{}': tensor '{}'", name, one_line(key))));
  }
  return tensors;
}

}  // namespace heed::interchange
