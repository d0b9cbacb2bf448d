// What ties a weight file to the config.json next to it.
//
// The file's metadata holds the shape that the weights were written for: the fields that determine how they are used
// and that differ from their defaults. A field added later leaves the shape of older models unchanged.
#pragma once

#include <string>

#include "model/config.h"
#include "model/safetensors.h"

namespace heed {

// The shape as stored in the metadata, under shape_key.
std::string shape_text(const Config& config);
constexpr const char* shape_key = "shape";

// Throws Error that names the first field in which the shape differs from the one that the file was written for. Files
// from before this was recorded fit every shape.
void check_shape(const Safetensors& file, const std::string& shape);

}  // namespace heed
