// The attention of a pass, taken from its traces: the kernels never store a whole map.
#pragma once

#include "heed/inspector.h"
#include "model/encoder_decoder.h"

namespace heed {

// One sentence each, after encode and decode with traces.
AllMaps attention_maps(const Parameters& parameters, const HalfTrace& encoder, const HalfTrace& decoder);

// Throws Error for a head that the model does not have.
HeadNumbers head_numbers(const Parameters& parameters, const HalfTrace& encoder, const HalfTrace& decoder,
                         const HeadPlace& place);

// Every head of the model, in the order encoder, decoder, cross.
std::vector<HeadPlace> all_heads(const Parameters& parameters);

// "head 3 of layer 2 in the decoder", counted from 1.
std::string describe(const HeadPlace& place);

}  // namespace heed
