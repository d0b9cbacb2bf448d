#include "model/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "base/figures.h"
#include "base/files.h"
#include "base/one_line.h"
#include "heed/error.h"
#include "model/binding.h"
#include "model/json_values.h"
#include "model/parameters.h"
#include "model/safetensors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// JSON takes many times its size once it is read.
constexpr std::size_t largest_config = std::size_t{1} << 20;
constexpr std::string_view save_prefix = "update-";

template <class Enum>
void read_enum(const nlohmann::json& json, const char* key, Enum& value) {
  const std::string name = text_at(json, key);
  const std::vector<std::string> names = names_of<Enum>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(fmt::format("{} is '{}', which heed does not know", key, one_line(name)));
  value = static_cast<Enum>(found - names.begin());
}

Config config_from(const nlohmann::json& json) {
  Config c;
  c.encoder_layers = whole_number_at(json, "encoder_layers");
  c.decoder_layers = whole_number_at(json, "decoder_layers");
  c.d_model = whole_number_at(json, "d_model");
  c.d_ff = whole_number_at(json, "d_ff");
  c.heads = whole_number_at(json, "heads");
  c.d_k = whole_number_at(json, "d_k");
  c.d_v = whole_number_at(json, "d_v");
  c.source_vocab = whole_number_at(json, "source_vocab_size");
  c.target_vocab = whole_number_at(json, "target_vocab_size");
  c.max_positions = whole_number_at(json, "max_positions");
  c.dropout = static_cast<float>(number_at(json, "dropout"));
  c.label_smoothing = static_cast<float>(number_at(json, "label_smoothing"));
  c.attention_bias = truth_at(json, "attention_bias");
  c.output_bias = truth_at(json, "output_bias");
  read_enum(json, "positions", c.positions);
  read_enum(json, "norm", c.norm);
  read_enum(json, "tie", c.tie);
  read_enum(json, "activation", c.activation);
  read_enum(json, "start", c.start);
  check(c);
  return c;
}

// Models of before this was recorded have none.
Index source_length_from(const nlohmann::json& json) {
  constexpr const char* key = "max_source_length";
  const Index length = json.contains(key) ? whole_number_at(json, key) : 0;
  if (length < 0) throw Error(fmt::format("{} is {}, which is below 0", key, length));
  return length;
}

// A float as the shortest decimal that reads back as the same float.
nlohmann::ordered_json shortest(float value) { return nlohmann::ordered_json::parse(fmt::format("{}", value)); }

void check_format(const nlohmann::json& json) {
  if (!json.is_object()) throw Error("it is not JSON");
  const std::string format = text_at(json, "format");
  if (format == file_format) return;
  if (!format.starts_with("heed ")) throw Error("it is not a config of heed's");
  throw Error(fmt::format("it has the newer format '{}', and this heed reads '{}'; use a newer heed, or",
                          one_line(format), file_format));
}

}  // namespace

nlohmann::ordered_json config_json(const Config& c) {
  const AttentionShape shape = c.attention_shape();
  return {{"encoder_layers", c.encoder_layers},
          {"decoder_layers", c.decoder_layers},
          {"d_model", c.d_model},
          {"d_ff", c.d_ff},
          {"heads", c.heads},
          {"d_k", shape.d_k},
          {"d_v", shape.d_v},
          {"source_vocab_size", c.source_vocab},
          {"target_vocab_size", c.target_vocab},
          {"positions", name_of(c.positions)},
          {"max_positions", c.max_positions},
          {"norm", name_of(c.norm)},
          {"tie", name_of(c.tie)},
          {"activation", name_of(c.activation)},
          {"start", name_of(c.start)},
          {"attention_bias", c.attention_bias},
          {"output_bias", c.output_bias},
          {"dropout", shortest(c.dropout)},
          {"label_smoothing", shortest(c.label_smoothing)}};
}

ModelInfo read_info(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(fmt::format("'{}' is no model folder; give one that 'heed train' made", folder.string()));
  }
  if (!file_exists(file)) {
    throw Error(fmt::format("'{}' is no model folder: config.json is missing; give one that 'heed train' made",
                            folder.string()));
  }
  const auto json = nlohmann::json::parse(read_file(file, {.most_bytes = largest_config}), nullptr, false);
  try {
    check_format(json);
    return {config_from(json), text_at(json, "source_language"), text_at(json, "target_language"),
            source_length_from(json)};
  } catch (const std::exception& reason) {
    throw Error(fmt::format("'{}': {}; put the model's own config.json back", file.string(), reason.what()));
  }
}

void write_info(const fs::path& folder, const ModelInfo& info) {
  nlohmann::ordered_json json{
      {"format", file_format}, {"source_language", info.source_language}, {"target_language", info.target_language}};
  if (info.max_source_length > 0) json["max_source_length"] = info.max_source_length;
  json.update(config_json(info.config));
  write_file(folder / "config.json", json.dump(2) + '\n');
}

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
  const std::string remedy = has_checkpoint ? "training has not written it yet: wait, or use --checkpoint last"
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
    throw Error(fmt::format("'{}' has {} where {} {} wanted; ask for fewer, or train with a larger --keep",
                            (folder / "training" / "saves").string(), counted(found, "save"), count,
                            plural(count, "is", "are")));
  }
  std::sort(updates.begin(), updates.end());
  std::vector<fs::path> files;
  std::transform(updates.end() - count, updates.end(), std::back_inserter(files),
                 [&](Index update) { return save_file(folder, update); });
  return files;
}

namespace {

// Beside the weights a checkpoint holds the optimiser's moments and an exponential average, of the same names.
void check_names(const Safetensors& stored, std::span<const Tensor> tensors) {
  std::set<std::string_view> known;
  for (const Tensor& tensor : tensors) known.insert(tensor.name);
  for (const NamedTensor& found : stored.tensors()) {
    std::string_view name = found.name;
    for (const std::string_view prefix : state_prefixes) {
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    }
    if (!known.contains(name)) stored.surplus(found.name);
  }
}

}  // namespace

void write_weights(const fs::path& file, const Config& config, const FlatBuffers& buffers, const WeightFacts& facts) {
  std::vector<NamedTensor> tensors;
  for (const auto& [prefix, flat] : buffers) {
    for (const Tensor& tensor : list_tensors(config)) {
      const auto count = static_cast<std::size_t>(tensor.rows * tensor.cols);
      tensors.push_back({prefix + tensor.name, tensor.shape(), StoredType::f32,
                         std::as_bytes(flat.subspan(static_cast<std::size_t>(tensor.offset), count))});
    }
  }
  Metadata metadata = facts;
  metadata["format"] = file_format;
  metadata.merge(shape_fact(config));
  write_safetensors(file, tensors, metadata);
}

WeightFacts read_weights(const fs::path& file, const Config& config, const FlatBuffers& buffers, Verify verify) {
  return read_weights(Safetensors(file), config, buffers, verify);
}

WeightFacts read_weights(const Safetensors& stored, const Config& config, const FlatBuffers& buffers, Verify verify) {
  if (verify == Verify::checksum) stored.verify();
  check_shape(stored, config);
  const std::vector<Tensor> tensors = list_tensors(config);
  for (const auto& [prefix, flat] : buffers) {
    for (const Tensor& tensor : tensors) {
      const NamedTensor& found = stored.get(prefix + tensor.name, tensor.shape(), StoredType::f32);
      const std::span<const float> values = found.as<float>();
      std::copy(values.begin(), values.end(), flat.begin() + tensor.offset);
    }
  }
  check_names(stored, tensors);
  return stored.metadata();
}

void check_weights(const Safetensors& stored, const Config& config) {
  check_shape(stored, config);
  const std::vector<Tensor> tensors = list_tensors(config);
  for (const Tensor& tensor : tensors) stored.get(tensor.name, tensor.shape(), StoredType::f32);
  check_names(stored, tensors);
}

std::vector<float> average_weights(std::span<const fs::path> files, const Config& config, Verify verify) {
  const auto count = static_cast<std::size_t>(count_parameters(config));
  std::vector<float> weights(count);
  std::vector<double> sum(count);
  for (const fs::path& file : files) {
    read_weights(file, config, {{"", weights}}, verify);
    for (std::size_t i = 0; i < count; ++i) sum[i] += static_cast<double>(weights[i]);
  }
  const auto share = static_cast<double>(files.size());
  std::transform(sum.begin(), sum.end(), weights.begin(), [&](double s) { return static_cast<float>(s / share); });
  return weights;
}

}  // namespace heed
