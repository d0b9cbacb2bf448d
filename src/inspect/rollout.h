// Attention rollout (Abnar and Zuidema): how much of each input reaches each position, if heads are averaged and every
// residual connection mixes branch and stream half and half.
#pragma once

#include "heed/inspector.h"

namespace heed {

// (target pieces, target pieces + source pieces), rows sum to 1: row i has the shares of the decoder's inputs, then of
// the source pieces. Empty where a layer has no attention.
std::vector<float> rollout(const AllMaps& maps);

}  // namespace heed
