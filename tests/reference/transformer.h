// The Transformer of the paper in doubles, sentence by sentence and head by head, with the full attention matrix.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "layers/dropout.h"
#include "model/batch.h"
#include "model/config.h"

namespace heed::reference {

using Tensors = std::map<std::string, std::vector<double>>;  // by name, row-major

struct Result {
  std::vector<double> logits;  // (target tokens, vocabulary)
  double smoothed = 0.0;       // summed over target tokens
  double plain = 0.0;
  Tensors gradient;   // of the summed smoothed loss
  Tensors attention;  // of the last sentence: the weights of all heads, by the name of the sub-layer
};

Result run(const Config& config, const Tensors& parameters, const Batch& batch, const Dropout& dropout);

}  // namespace heed::reference
