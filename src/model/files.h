// Weights on disk: safetensors files described by a layout, independent of any model.
//
// Files are not trusted: names, shapes, sizes and offsets are checked before anything is read from one. Every failure
// throws Error with the file, what is wrong and the remedy.
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

// The weight file that --checkpoint names: average (or nothing) is model.safetensors, best and last are files of the
// training run. Throws Error if there is no such file.
std::filesystem::path weights_file(const std::filesystem::path& folder, const std::string& checkpoint = "");

// The `count` newest saves of a training run, oldest first. Throws Error if there are fewer.
std::vector<std::filesystem::path> newest_saves(const std::filesystem::path& folder, Index count);
// Where a run writes the save of an update.
std::filesystem::path save_file(const std::filesystem::path& folder, Index update);

// Flat buffers of the model's layout by the prefix of their tensors' names: {"": weights, "adam.first.": …}.
using FlatBuffers = std::map<std::string, std::span<float>>;
using WeightFacts = std::map<std::string, std::string>;

// Writes through a temporary file and rename. The facts go into the file's metadata, with a checksum.
void write_weights(const std::filesystem::path& file, const Layout& layout, const FlatBuffers& buffers,
                   const WeightFacts& facts);

enum class Verify { structure, checksum };  // checksum: also verify the checksum over all bytes

// Prefixes of tensor names in a checkpoint, besides the weights themselves.
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
