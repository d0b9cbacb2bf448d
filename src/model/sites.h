// Numbers for the places in the model where dropout draws a mask, so that no two draw the same one.
#pragma once

#include "base/index.h"

namespace heed {

constexpr int source_embedding_site = 0;
constexpr int target_embedding_site = 1;
// Sub-layer 0, 1 or 2 of a layer.
constexpr int encoder_site(Index layer, int sublayer) { return 2 + 8 * static_cast<int>(layer) + sublayer; }
constexpr int decoder_site(Index layer, int sublayer) { return encoder_site(layer, sublayer) + 4; }

}  // namespace heed
