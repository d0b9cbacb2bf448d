// Fills a model's weights from another program's tensors.
#pragma once

#include <functional>
#include <optional>

#include "interchange/marian_model.h"
#include "interchange/stored_tensor.h"

namespace heed::interchange {

// How the rows of a tensor go by the tokens of a vocabulary.
enum class TokenUse { none, embedding, output, output_bias };

// Where a tensor of heed's comes from.
struct TensorOrigin {
  std::string name = {};
  Index first_row = 0;     // of a matrix or vector that other tensors are stacked with
  Index stacked_rows = 0;  // how many all of them have; 0: it is not stacked
  TokenUse use = TokenUse::none;
  bool source = false;    // which vocabulary
  bool optional = false;  // zeros where the file lacks it
};
using OriginOf = std::function<TensorOrigin(const std::string& tensor)>;

struct StoredWeights {
  std::vector<float> values;             // of the layout of the config
  std::optional<Int8Integers> integers;  // if the file holds matrices in 8-bit integers
};

struct WeightFile {
  const StoredTensors& tensors;
  const std::string& name;           // for messages
  std::vector<std::string> ignored;  // tensors that need not be used
};

// Throws Error for a tensor that is missing, has another shape, holds NaN, or is left over.
StoredWeights fill_weights(const WeightFile& file, const Config& config, const VocabularyOrders& orders,
                           const VocabularyRows& rows, const OriginOf& origin_of);

}  // namespace heed::interchange
