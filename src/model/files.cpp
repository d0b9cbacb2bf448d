#include "model/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/figures.h"
#include "base/files.h"
#include "heed/error.h"
#include "model/binding.h"
#include "model/model_info.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view save_prefix = "update-";

}  // namespace

fs::path weights_file(const fs::path& folder, const std::string& checkpoint) {
  const std::map<std::string, fs::path> files{{"", folder / "model.safetensors"},
                                              {"average", folder / "model.safetensors"},
                                              {"best", folder / "training" / "best.safetensors"},
                                              {"last", folder / "training" / "checkpoint.safetensors"}};
  const auto found = files.find(checkpoint);
  if (found == files.end()) {
    throw SettingError("checkpoint", fmt::format("checkpoint is '{}'; choose one of average, best, last", checkpoint));
  }
  if (file_exists(found->second)) return found->second;
  const bool is_run = file_exists(folder / "training" / "config.yaml");
  const bool has_checkpoint = file_exists(files.at("last"));
  const std::string not_yet = checkpoint == "best" ? "training has not validated yet, or has no validation set"
                                                   : "training has not written it yet";
  const std::string remedy = has_checkpoint ? not_yet + ": wait, or use --checkpoint last"
                             : is_run       ? "training has not reached its first checkpoint yet: wait for it"
                                            : "pass a folder written by 'heed train', or another --checkpoint";
  throw Error(fmt::format("'{}' is missing; {}", found->second.string(), remedy));
}

fs::path save_file(const fs::path& folder, Index update) {
  return folder / "training" / "saves" / fmt::format("{}{}.safetensors", save_prefix, update);
}

std::vector<fs::path> newest_saves(const fs::path& folder, Index count) {
  std::vector<Index> updates;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "training" / "saves", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(save_prefix)) continue;
    Index update = 0;
    std::from_chars(name.data() + save_prefix.size(), name.data() + name.size(), update);
    if (save_file(folder, update).filename() == name) updates.push_back(update);
  }
  const auto found = static_cast<Index>(updates.size());
  if (found < count) {
    throw Error(fmt::format(
        "'{}' has {}, but {} {} needed; ask for fewer, or train with a smaller --save-every or a larger --keep",
        (folder / "training" / "saves").string(), counted(found, "save"), count, plural(count, "is", "are")));
  }
  std::sort(updates.begin(), updates.end());
  std::vector<fs::path> files;
  std::transform(updates.end() - count, updates.end(), std::back_inserter(files),
                 [&](Index update) { return save_file(folder, update); });
  return files;
}

namespace {

// Besides the weights a checkpoint holds the optimiser's moments and an exponential moving average, under the same
// names.
void check_names(const Safetensors& stored, const Layout& layout) {
  std::set<std::string_view> known;
  for (const Tensor& tensor : layout.tensors) known.insert(tensor.name);
  for (const NamedTensor& found : stored.tensors()) {
    std::string_view name = found.name;
    for (const std::string_view prefix : state_prefixes) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    if (!known.contains(name)) stored.surplus(found.name);
  }
}

}  // namespace

void write_weights(const fs::path& file, const Layout& layout, const FlatBuffers& buffers, const WeightFacts& facts) {
  std::vector<NamedTensor> tensors;
  for (const auto& [prefix, flat] : buffers) {
    for (const Tensor& tensor : layout.tensors) {
      const auto count = static_cast<std::size_t>(tensor.size());
      tensors.push_back({prefix + tensor.name, tensor.shape(), StoredType::f32,
                         std::as_bytes(flat.subspan(static_cast<std::size_t>(tensor.offset), count))});
    }
  }
  Metadata metadata = facts;
  metadata["format"] = file_format;
  metadata[shape_key] = layout.shape;
  write_safetensors(file, tensors, metadata);
}

WeightFacts read_weights(const fs::path& file, const Layout& layout, const FlatBuffers& buffers, Verify verify) {
  return read_weights(Safetensors(file), layout, buffers, verify);
}

WeightFacts read_weights(const Safetensors& stored, const Layout& layout, const FlatBuffers& buffers, Verify verify) {
  if (verify == Verify::checksum) stored.verify();
  check_shape(stored, layout.shape);
  for (const auto& [prefix, flat] : buffers) {
    for (const Tensor& tensor : layout.tensors) {
      const NamedTensor& found = stored.get(prefix + tensor.name, tensor.shape(), StoredType::f32);
      const std::span<const float> values = found.as<float>();
      std::copy(values.begin(), values.end(), flat.begin() + tensor.offset);
    }
  }
  check_names(stored, layout);
  return stored.metadata();
}

void check_weights(const Safetensors& stored, const Layout& layout) {
  check_shape(stored, layout.shape);
  for (const Tensor& tensor : layout.tensors) stored.get(tensor.name, tensor.shape(), StoredType::f32);
  check_names(stored, layout);
}

std::vector<float> average_weights(std::span<const fs::path> files, const Layout& layout, Verify verify) {
  const auto count = static_cast<std::size_t>(layout.size);
  std::vector<float> weights(count);
  std::vector<double> sum(count);
  for (const fs::path& file : files) {
    read_weights(file, layout, {{"", weights}}, verify);
    for (std::size_t i = 0; i < count; ++i) sum[i] += static_cast<double>(weights[i]);
  }
  const auto share = static_cast<double>(files.size());
  std::transform(sum.begin(), sum.end(), weights.begin(), [&](double s) { return static_cast<float>(s / share); });
  return weights;
}

}  // namespace heed
