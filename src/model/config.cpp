#include "model/config.h"

#include <limits>

#include "base/check_range.h"
#include "model/memory.h"

namespace heed {
namespace {

// Far beyond any machine, and small enough that no product of two sizes overflows.
constexpr Index largest_size = Index{1} << 30;

void check_heads(const Config& c) {
  if (c.d_k != 0 && c.d_v != 0) return;
  if (c.d_model % c.heads == 0) return;
  throw SettingError("heads", fmt::format("heads is {}, which does not divide d-model {}; choose a divisor, or set "
                                          "d-k and d-v",
                                          c.heads, c.d_model));
}

void check_positions(const Config& c) {
  const bool sinusoids = c.positions == Positions::sinusoidal || c.positions == Positions::halves;
  if (!sinusoids || c.d_model % 2 == 0) return;
  throw SettingError("d-model", fmt::format("d-model is {}, but sinusoidal positions need an even one; use {}, or "
                                            "positions learned or none",
                                            c.d_model, c.d_model + 1));
}

void check_tie(const Config& c) {
  if (c.tie != Tie::all || c.source_vocab == c.target_vocab) return;
  throw SettingError("tie", fmt::format("tie is all, but the vocabularies have {} and {} entries; use tie target or "
                                        "none, or one shared vocabulary",
                                        c.source_vocab, c.target_vocab));
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
  throw SettingError("preset", fmt::format("preset '{}' is unknown; choose tiny, small, base or big", name));
}

void check(const Config& c) {
  check_range<Index>("encoder-layers", c.encoder_layers, 1, 1024);
  check_range<Index>("decoder-layers", c.decoder_layers, 1, 1024);
  check_range<Index>("d-model", c.d_model, 1, largest_size);
  check_range<Index>("d-ff", c.d_ff, 1, largest_size);
  check_range<Index>("heads", c.heads, 1, largest_size);
  check_range<Index>("d-k", c.d_k, 0, largest_size);
  check_range<Index>("d-v", c.d_v, 0, largest_size);
  check_heads(c);
  const AttentionShape shape = c.attention_shape();
  check_range<Index>("heads times d-k", c.heads * shape.d_k, 1, largest_size);
  check_range<Index>("heads times d-v", c.heads * shape.d_v, 1, largest_size);
  check_range<Index>("vocab-size", c.source_vocab, 1, std::numeric_limits<int>::max());
  check_range<Index>("target vocab-size", c.target_vocab, 1, std::numeric_limits<int>::max());
  check_tie(c);
  check_positions(c);
  if (c.positions == Positions::learned) check_range<Index>("max-positions", c.max_positions, 1, largest_size);
  check_below_one("dropout", c.dropout);
  check_below_one("label-smoothing", c.label_smoothing);
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
