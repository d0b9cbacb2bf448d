// A model's weights in 8-bit integers, for inference.
//
// Every matrix is cut into panels (kernels/int8.h); biases, gains and learned positions stay f32. The file holds the
// panels as the kernels read them, so it is mapped and never copied.
#pragma once

#include <optional>

#include "model/files.h"
#include "model/parameters.h"
#include "model/safetensors.h"

namespace heed {

struct Int8Weights {
  Parameters parameters;  // refer to what follows
  std::optional<Safetensors> file;
  Pages panels;   // where there is no file
  Pages vectors;  // what stays f32
};

// From a flat buffer of the model's layout. Throws Error for numbers that are not finite and for products too deep for
// 32-bit sums.
Int8Weights quantize(const Config& config, std::span<float> flat);

// Writes by temporary file and rename; the facts stand in the file's metadata.
void write_int8_weights(const std::filesystem::path& file, const Config& config, Int8Weights& weights,
                        const WeightFacts& facts);

// Throws Error for anything that does not fit the config, and for sums and scales that cannot be. Whether the sums are
// those of the weights is known only when every weight is read: that goes with the checksum.
Int8Weights read_int8_weights(Safetensors file, const Config& config, Verify verify);

// Whether a file of weights holds integers.
bool holds_int8(const Safetensors& file);

}  // namespace heed
