// A model on the disk: config.json and weights in safetensors files, in the folder that also holds the tokenizer.
//
// A file is hostile until proven otherwise: names, shapes, sizes and offsets are checked before anything is read from
// it. Every failure throws Error with the file, what is wrong and the remedy.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "model/parameters.h"
#include "model/transformer.h"

namespace heed {

enum class Verify { structure, checksum };  // whether a checksum over all bytes is compared as well

// What config.json holds.
struct ModelInfo {
  Config config;
  std::string source_language;
  std::string target_language;
};

nlohmann::ordered_json config_json(const Config& config);
ModelInfo read_info(const std::filesystem::path& folder);
void write_info(const std::filesystem::path& folder, const ModelInfo& info);

// The file of weights that --checkpoint names: "" is model.safetensors; best, last and average are those of training.
std::filesystem::path weights_file(const std::filesystem::path& folder, const std::string& checkpoint);

// Flat buffers of one layout, by name: {"": weights, "adam.first.": …}; the name stands before each tensor's.
using FlatBuffers = std::map<std::string, std::span<float>>;
using ConstFlatBuffers = std::map<std::string, std::span<const float>>;

// Writes by temporary file and rename. `facts` go into the file's metadata; a checksum is added to them.
void write_weights(const std::filesystem::path& file, const Config& config, const ConstFlatBuffers& buffers,
                   const std::map<std::string, std::string>& facts);
// Fills the buffers and returns the facts.
std::map<std::string, std::string> read_weights(const std::filesystem::path& file, const Config& config,
                                                const FlatBuffers& buffers, Verify verify);

}  // namespace heed
