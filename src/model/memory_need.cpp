#include "model/memory_need.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/pages.h"
#include "heed/error.h"
#include "layers/loss.h"
#include "model/parameters.h"

namespace heed {
namespace {

std::string sizes_of(const Config& c) {
  return fmt::format("a model with d-model {}, d-ff {}, {}+{} layers and vocab-size {}", c.d_model, c.d_ff,
                     c.encoder_layers, c.decoder_layers, c.target_vocab);
}

std::string gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes / 1e9); }

// Counts in double: a config may ask for more than 64 bits can count, and is refused by this figure.
class CountNumbers {
 public:
  void linear(const Path&, Linear&, const LinearParts& l) {
    double rows = 0.0;
    for (const auto& part : l.parts) rows += static_cast<double>(part.rows);
    parameters += rows * static_cast<double>(l.inputs) + (l.bias ? rows : 0.0);
    (l.of_memory ? memory_row : row) += rows + static_cast<double>(l.kept);
  }
  void vector(const Path&, const char*, Matrix<float>&, Index rows, Index cols, Initial initial) {
    parameters += static_cast<double>(rows) * static_cast<double>(cols);
    // The output of a layer norm is kept as well.
    if (initial == Initial::ones) row += static_cast<double>(cols);
  }
  void embedding(const char*, Index rows, Index cols, Initial, const EmbeddingUsers&) {
    parameters += static_cast<double>(rows) * static_cast<double>(cols);
  }
  void table(const char*, Matrix<float>&, Index rows, Index cols) {
    parameters += static_cast<double>(rows) * static_cast<double>(cols);
  }

  double parameters = 0.0;
  double row = 0.0;         // kept for each row of the stack
  double memory_row = 0.0;  // and of the memory
};

struct Counts {
  CountNumbers encoder, decoder, all;
};

Counts count(const Config& c) {
  Counts counts;
  Parameters p = make_parameters(c);
  visit(p, c, counts.all);
  visit_stack(p.encoder, "encoder", c.d_ff, false, counts.encoder);
  visit_stack(p.decoder, "decoder", c.decoder_width(), false, counts.decoder);
  return counts;
}

// Floats that the layers take from the arena for each token of a side.
struct TokenFloats {
  double source;
  double target;
};

TokenFloats token_floats(const Config& c, const Counts& counts, Purpose purpose) {
  const auto d_model = static_cast<double>(c.d_model);
  const auto encoder_layers = static_cast<double>(c.encoder_layers);
  const auto decoder_layers = static_cast<double>(c.decoder_layers);
  if (purpose == Purpose::training) {
    const double backward = 3 * (d_model + static_cast<double>(c.decoder_width()));
    return {counts.encoder.row + counts.decoder.memory_row + 3 * d_model, counts.decoder.row + backward};
  }
  // A layer's scratch is released, its output is not.
  return {counts.encoder.row / encoder_layers + encoder_layers * 2 * d_model,
          counts.decoder.row / decoder_layers + decoder_layers * 3 * d_model};
}

}  // namespace

MemoryNeed memory_need(const Config& c, Index source_tokens, Index target_tokens, Purpose purpose) {
  const bool training = purpose == Purpose::training;
  const auto bytes = [](double value) { return static_cast<std::size_t>(value); };
  const Counts counts = count(c);
  const TokenFloats each = token_floats(c, counts, purpose);
  const double parameters = 4.0 * counts.all.parameters;
  const double logits =
      static_cast<double>(std::min(target_tokens, logits_at_a_time)) * static_cast<double>(c.target_vocab);
  const double floats = each.source * static_cast<double>(source_tokens) +
                        each.target * static_cast<double>(target_tokens) + (training ? 2 : 1) * logits;
  return {bytes(parameters), training ? bytes(3 * parameters) : 0, bytes((training ? 2 : 1) * parameters),
          bytes(4.0 * floats)};
}

MixerMemory decoding_memory(const Config& config, kernels::CacheType type) {
  MixerMemory all;
  for (Index i = 0; i < config.decoder_layers; ++i) {
    const MixerMemory layer = mixer_memory(config.mixer_shape(Sight::past, i), type);
    all.past += layer.past;
    all.state += layer.state;
  }
  return all;
}

void check_size(const Config& config) {
  constexpr double countable = 0x1p60;
  if (4.0 * count(config).all.parameters < countable) return;
  throw SettingError("d-model",
                     sizes_of(config) + " has more parameters than can be counted; make one of them smaller");
}

void check_memory(const Config& config, Purpose purpose) {
  const double copies = purpose == Purpose::training ? 6 : 2;  // weights, packed weights; gradient and moments
  const double bytes = copies * 4.0 * count(config).all.parameters;
  const auto limit = static_cast<double>(machine_memory());
  if (bytes <= limit) return;
  throw Error(fmt::format("{} needs about {}, but this machine has {}; make one of them smaller", sizes_of(config),
                          gigabytes(bytes), gigabytes(limit)));
}

}  // namespace heed
