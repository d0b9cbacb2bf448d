// Weights on the disk: safetensors files that go by a layout and know no model.
//
// A file is hostile until proven otherwise: names, shapes, sizes and offsets are checked before anything is read from
// it. Every failure throws Error with the file, what is wrong and the remedy.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/safetensors.h"
#include "model/tensors.h"

namespace heed {

// The file of weights that --checkpoint names: average (or nothing) is model.safetensors, best and last are those of
// training. Throws Error when there is no such file.
std::filesystem::path weights_file(const std::filesystem::path& folder, const std::string& checkpoint = "");

// The newest saves of a training run, oldest first. Throws Error when there are not so many.
std::vector<std::filesystem::path> newest_saves(const std::filesystem::path& folder, Index count);
// Where a run puts the save of an update.
std::filesystem::path save_file(const std::filesystem::path& folder, Index update);

// Flat buffers of the model's layout by the prefix of their tensors' names: {"": weights, "adam.first.": …}.
using FlatBuffers = std::map<std::string, std::span<float>>;
using WeightFacts = std::map<std::string, std::string>;

// Writes by temporary file and rename. The facts stand in the file's metadata, with a checksum.
void write_weights(const std::filesystem::path& file, const Layout& layout, const FlatBuffers& buffers,
                   const WeightFacts& facts);

enum class Verify { structure, checksum };  // whether a checksum over all bytes is compared as well

// What stands before a tensor's name in a checkpoint, beside the weights themselves.
constexpr std::string_view state_prefixes[] = {"adam.first.", "adam.second.", "ema."};

// Fills the buffers and returns the facts. Throws Error unless the file holds exactly the tensors of the layout, and
// was written for its shape.
WeightFacts read_weights(const std::filesystem::path& file, const Layout& layout, const FlatBuffers& buffers,
                         Verify verify);
WeightFacts read_weights(const Safetensors& stored, const Layout& layout, const FlatBuffers& buffers, Verify verify);

// The same checks without reading the weights.
void check_weights(const Safetensors& stored, const Layout& layout);

// The mean of the weights in these files, in the model's layout.
std::vector<float> average_weights(std::span<const std::filesystem::path> files, const Layout& layout, Verify verify);

}  // namespace heed
