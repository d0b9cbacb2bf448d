// What ties a file of weights to the config.json beside it.
//
// The file's metadata holds the shape that the weights were written for: the fields that decide how they are used and
// that differ from their defaults. A field that is added later leaves the shape of older models as it was.
#pragma once

#include <string>

#include "model/config.h"
#include "model/safetensors.h"

namespace heed {

// The shape as the metadata has it, under shape_key.
std::string shape_text(const Config& config);
constexpr const char* shape_key = "shape";

// Throws Error that names the first field in which the shape differs from what the file was written for. Files of
// before this was recorded fit every shape.
void check_shape(const Safetensors& file, const std::string& shape);

}  // namespace heed
