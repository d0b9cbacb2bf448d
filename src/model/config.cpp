#include "model/config.h"

#include <limits>

#include "heed/error.h"
#include "model/memory.h"

namespace heed {
namespace {

// Far beyond any machine, and small enough that no product of two sizes overflows.
constexpr Index largest_size = Index{1} << 30;

void check_range(const char* field, Index value, Index least, Index most) {
  if (value >= least && value <= most) return;
  throw Error(std::string(field) + " is " + std::to_string(value) + "; it must be between " + std::to_string(least) +
              " and " + std::to_string(most));
}

void check_rate(const char* field, float value) {
  if (value >= 0.0f && value < 1.0f) return;
  throw Error(std::string(field) + " is " + std::to_string(value) + "; it must be at least 0 and below 1");
}

void check_heads(const Config& c) {
  if (c.d_k != 0 && c.d_v != 0) return;
  if (c.d_model % c.heads == 0) return;
  throw Error("heads is " + std::to_string(c.heads) + ", which does not divide d-model " + std::to_string(c.d_model) +
              "; choose a divisor, or set d-k and d-v");
}

void check_positions(const Config& c) {
  const bool sinusoids = c.positions == Positions::sinusoidal || c.positions == Positions::halves;
  if (!sinusoids || c.d_model % 2 == 0) return;
  throw Error("d-model is " + std::to_string(c.d_model) + ", but sinusoidal positions need an even one; use " +
              std::to_string(c.d_model + 1) + ", or positions learned or none");
}

void check_tie(const Config& c) {
  if (c.tie != Tie::all || c.source_vocab == c.target_vocab) return;
  throw Error("tie is all, but the vocabularies have " + std::to_string(c.source_vocab) + " and " +
              std::to_string(c.target_vocab) + " entries; use tie target or none, or one shared vocabulary");
}

}  // namespace

AttentionShape Config::attention_shape() const {
  return {heads, d_k != 0 ? d_k : d_model / heads, d_v != 0 ? d_v : d_model / heads};
}

Config preset(std::string_view name) {
  if (name == "base") return {};
  if (name == "big") return {.d_model = 1024, .d_ff = 4096, .heads = 16, .dropout = 0.3f};
  if (name == "small") return {.encoder_layers = 4, .decoder_layers = 4, .d_model = 256, .d_ff = 1024, .heads = 4};
  if (name == "tiny") return {.encoder_layers = 4, .decoder_layers = 4, .d_model = 128, .d_ff = 256, .heads = 4};
  throw Error("preset '" + std::string(name) + "' is unknown; choose tiny, small, base or big");
}

void check(const Config& c) {
  check_range("encoder-layers", c.encoder_layers, 1, 1024);
  check_range("decoder-layers", c.decoder_layers, 1, 1024);
  check_range("d-model", c.d_model, 1, largest_size);
  check_range("d-ff", c.d_ff, 1, largest_size);
  check_range("heads", c.heads, 1, largest_size);
  check_range("d-k", c.d_k, 0, largest_size);
  check_range("d-v", c.d_v, 0, largest_size);
  check_heads(c);
  const AttentionShape shape = c.attention_shape();
  check_range("heads times d-k", c.heads * shape.d_k, 1, largest_size);
  check_range("heads times d-v", c.heads * shape.d_v, 1, largest_size);
  check_range("vocab-size", c.source_vocab, 1, std::numeric_limits<int>::max());
  check_range("target vocab-size", c.target_vocab, 1, std::numeric_limits<int>::max());
  check_tie(c);
  check_positions(c);
  if (c.positions == Positions::learned) check_range("max-positions", c.max_positions, 1, largest_size);
  check_rate("dropout", c.dropout);
  check_rate("label-smoothing", c.label_smoothing);
  check_size(c);
}

template <>
std::vector<std::string> names_of<Positions>() {
  return {"sinusoidal", "halves", "learned", "none"};
}
template <>
std::vector<std::string> names_of<Norm>() {
  return {"after", "before"};
}
template <>
std::vector<std::string> names_of<Tie>() {
  return {"all", "target", "none"};
}
template <>
std::vector<std::string> names_of<Activation>() {
  return {"relu", "gelu", "swish"};
}
template <>
std::vector<std::string> names_of<StartFrom>() {
  return {"token", "zero"};
}

}  // namespace heed
