// A Marian model as heed's config and weights.
//
// What heed cannot represent is refused with an Error that names Marian's option.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interchange/marian_file.h"
#include "interchange/vocabulary.h"
#include "model/config.h"
#include "model/int8_weights.h"

namespace heed::interchange {

// The orders of both vocabularies, in heed's ids.
struct VocabularyOrders {
  TokenOrder source;
  TokenOrder target;
};

// Rows of the matrices that belong to the vocabularies.
struct VocabularyRows {
  Index source = 0;
  Index target = 0;
  bool shared = false;  // one matrix for both
};
VocabularyRows vocabulary_rows(const MarianFile& file);

// Everything but the sizes of the vocabularies, which are 1. Sizes are those of the tensors.
Config marian_config(const MarianFile& file);

// For each decoder layer the number of the layer in the file whose tensors it has: layers may be tied.
std::vector<Index> marian_decoder_layers(const MarianFile& file);

struct MarianWeights {
  std::vector<float> values;             // of the layout of the config
  std::optional<Int8Integers> integers;  // if the file holds 8-bit integers
};

// Throws Error for a tensor that is missing, has another shape, holds NaN, or is left over.
MarianWeights marian_weights(const MarianFile& file, const Config& config, const VocabularyOrders& orders);

// "Marian v1.12.43", or what else the file says.
std::string marian_version(const MarianFile& file);

}  // namespace heed::interchange
