// A model's weights in 8-bit integers, for inference.
//
// Every matrix is stored in panels (kernels/int8.h); biases, gains and learned positions stay f32. The file holds the
// panels as the kernels read them, so it is mapped and never copied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/files.h"
#include "model/parameters.h"
#include "model/safetensors.h"

namespace heed {

struct Int8Weights {
  Parameters parameters;  // point into the members below
  std::optional<Safetensors> file;
  Pages panels;   // if there is no file
  Pages vectors;  // what stays f32
};

// From a flat buffer of the model's layout. Throws Error for NaN and infinity, and for products too deep for 32-bit
// sums.
Int8Weights quantize(const Config& config, std::span<float> flat);

// Integers within ±127 that another program has made of the weights, in the model's layout: one for each number of it,
// of which those of matrices and embeddings count, and a scale for each row of these, in their order.
struct Int8Integers {
  std::vector<std::int8_t> values;
  std::vector<float> scales;
};

// The same integers in panels; what stays f32 is from the flat buffer. Throws Error for products too deep.
Int8Weights take_integers(const Config& config, std::span<float> flat, const Int8Integers& integers);

// The inverse: the integers in the model's layout; what stays f32 goes into the flat buffer.
Int8Integers give_integers(const Config& config, const Int8Weights& weights, std::span<float> flat);

// Writes through a temporary file and rename; the facts go into the file's metadata.
void write_int8_weights(const std::filesystem::path& file, const Config& config, Int8Weights& weights,
                        const WeightFacts& facts);

// Throws Error for anything that does not fit the config, and for impossible sums and scales. Whether the sums are
// those of the weights takes reading every weight, so it is checked only together with the checksum.
Int8Weights read_int8_weights(Safetensors file, const Config& config, Verify verify);

// Whether a weight file holds integers.
bool holds_int8(const Safetensors& file);

}  // namespace heed
