// The shape of a Transformer and the settings that belong to its preset.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/index.h"
#include "layers/attention.h"
#include "layers/embedding.h"
#include "layers/feed_forward.h"
#include "layers/residual.h"

namespace heed {

enum class Tie { all, target, none };  // which of source embedding, target embedding and output share one matrix
enum class StartFrom { token, zero };  // what the decoder sees at position 0

struct Config {
  Index encoder_layers = 6;
  Index decoder_layers = 6;
  Index d_model = 512;
  Index d_ff = 2048;
  Index heads = 8;
  Index d_k = 0;  // 0: d_model / heads
  Index d_v = 0;  // 0: d_model / heads
  Index source_vocab = 0;
  Index target_vocab = 0;
  Index max_positions = 1024;  // of learned positions
  float dropout = 0.1f;
  float label_smoothing = 0.1f;
  Positions positions = Positions::sinusoidal;
  Norm norm = Norm::after;
  Tie tie = Tie::all;
  Activation activation = Activation::relu;
  StartFrom start = StartFrom::token;
  bool attention_bias = false;
  bool output_bias = false;

  AttentionShape attention_shape() const;
};

// "tiny", "small", "base" or "big"; throws Error with the list for any other name.
Config preset(std::string_view name);

// Throws Error that names the first field that does not fit, its value and what would.
void check(const Config& config);

// The names of an enumeration's values, in order, as flags and files spell them.
template <class Enum>
std::vector<std::string> names_of();
template <class Enum>
std::string name_of(Enum value) {
  return names_of<Enum>()[static_cast<std::size_t>(value)];
}

}  // namespace heed
