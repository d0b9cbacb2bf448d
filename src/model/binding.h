// What ties a file of weights to the config.json beside it.
//
// The file's metadata holds the shape that the weights were written for: the fields that decide how they are used and
// that differ from their defaults. A field that is added later leaves the shape of older models as it was.
#pragma once

#include "model/config.h"
#include "model/safetensors.h"

namespace heed {

// The entry of the metadata.
Metadata shape_fact(const Config& config);

// Whether a file holds the entry; older ones do not.
bool has_shape_fact(const Safetensors& file);

// Throws Error that names the first field in which the config differs from what the file was written for.
void check_shape(const Safetensors& file, const Config& config);

}  // namespace heed
