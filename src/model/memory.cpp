#include "model/memory.h"

#include <algorithm>
#include <string>

#include "base/pages.h"
#include "heed/error.h"
#include "layers/attention.h"
#include "layers/loss.h"
#include "model/parameters.h"

namespace heed {
namespace {

// Sizes in double: a config may ask for more than 64 bits can count, and is refused by this figure.
struct Sizes {
  double d_model, d_ff, key_width, value_width, encoder_layers, decoder_layers, target_vocab;

  explicit Sizes(const Config& c)
      : d_model(static_cast<double>(c.d_model)),
        d_ff(static_cast<double>(c.d_ff)),
        key_width(static_cast<double>(c.heads * c.attention_shape().d_k)),
        value_width(static_cast<double>(c.heads * c.attention_shape().d_v)),
        encoder_layers(static_cast<double>(c.encoder_layers)),
        decoder_layers(static_cast<double>(c.decoder_layers)),
        target_vocab(static_cast<double>(c.target_vocab)) {}
};

std::string sizes_of(const Config& c) {
  return "a model with d-model " + std::to_string(c.d_model) + ", d-ff " + std::to_string(c.d_ff) + ", " +
         std::to_string(c.encoder_layers) + "+" + std::to_string(c.decoder_layers) + " layers and vocab-size " +
         std::to_string(c.target_vocab);
}

std::string gigabytes(double bytes) {
  std::string text = std::to_string(bytes / 1e9);
  return text.substr(0, text.find('.') + 2) + " GB";
}

double parameter_bytes(const Config& c) {
  const Sizes s(c);
  const double attention = s.d_model * (2 * s.key_width + 2 * s.value_width);
  const double feed_forward = 2 * s.d_model * s.d_ff;
  const double tables = c.tie == Tie::all ? 1 : c.tie == Tie::target ? 2 : 3;
  const double positions = c.positions == Positions::learned ? 2.0 * static_cast<double>(c.max_positions) : 0.0;
  const double vocabulary = static_cast<double>(std::max(c.source_vocab, c.target_vocab));
  return 4.0 * (s.encoder_layers * (attention + feed_forward) + s.decoder_layers * (2 * attention + feed_forward) +
                (tables * vocabulary + positions) * s.d_model);
}

// Floats kept or needed for each token: what the layers take from the arena.
double source_floats(const Config& c, bool training) {
  const Sizes s(c);
  const double inner = c.activation == Activation::relu ? s.d_ff : 2 * s.d_ff;
  const double layer = 4 * s.d_model + 2 * s.key_width + 2 * s.value_width + inner;
  // Keys and values of the encoder's output belong to each decoder layer.
  const double memory = s.decoder_layers * (s.key_width + s.value_width);
  return training ? s.encoder_layers * layer + memory + 3 * s.d_model : layer + s.encoder_layers * 2 * s.d_model;
}

double target_floats(const Config& c, bool training) {
  const Sizes s(c);
  const double inner = c.activation == Activation::relu ? s.d_ff : 2 * s.d_ff;
  const double layer = 6 * s.d_model + 3 * s.key_width + 3 * s.value_width + inner;
  const double backward = 3 * s.d_model + 3 * s.d_ff;
  return training ? s.decoder_layers * layer + backward : layer + s.decoder_layers * 3 * s.d_model;
}

MemoryNeed need(const Config& c, Index source_tokens, Index target_tokens, bool training) {
  const auto bytes = [](double value) { return static_cast<std::size_t>(value); };
  const double parameters = 4.0 * static_cast<double>(count_parameters(c));
  const double logits =
      static_cast<double>(std::min(target_tokens, logits_at_a_time)) * static_cast<double>(c.target_vocab);
  const double floats = source_floats(c, training) * static_cast<double>(source_tokens) +
                        target_floats(c, training) * static_cast<double>(target_tokens) + (training ? 2 : 1) * logits;
  return {bytes(parameters), training ? bytes(3 * parameters) : 0, bytes((training ? 2 : 1) * parameters),
          bytes(4.0 * floats)};
}

}  // namespace

MemoryNeed training_memory(const Config& config, Index source_tokens, Index target_tokens) {
  return need(config, source_tokens, target_tokens, true);
}

MemoryNeed inference_memory(const Config& config, Index source_tokens, Index target_tokens) {
  return need(config, source_tokens, target_tokens, false);
}

void check_size(const Config& config) {
  constexpr double countable = 0x1p60;
  if (parameter_bytes(config) < countable) return;
  throw SettingError("d-model",
                     sizes_of(config) + " has more parameters than can be counted; make one of them smaller");
}

void check_memory(const Config& config, bool training) {
  const double copies = training ? 6 : 2;  // weights, packed weights; gradient and moments
  const double bytes = copies * parameter_bytes(config);
  const auto limit = static_cast<double>(machine_memory());
  if (bytes <= limit) return;
  throw Error(sizes_of(config) + " needs about " + gigabytes(bytes) + ", but this machine has " + gigabytes(limit) +
              "; make one of them smaller");
}

}  // namespace heed
