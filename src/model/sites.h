// Numbers for the places in the model where dropout draws a mask, so that no two draw the same one.
#pragma once

#include "base/index.h"

namespace heed {

constexpr int source_embedding_site = 0;
constexpr int target_embedding_site = 1;
// The sub-layers of a layer have consecutive numbers.
constexpr int encoder_sites = 2;
constexpr int decoder_sites = 6;
constexpr int sites_per_layer = 8;

}  // namespace heed
