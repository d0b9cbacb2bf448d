#include "model/config.h"

#include <algorithm>

#include "base/check_range.h"
#include "base/figures.h"
#include "model/memory_need.h"

namespace heed {
namespace {

void check_heads(const Config& c) {
  if (c.d_k != 0 && c.d_v != 0) return;
  if (c.d_model % c.heads == 0) return;
  throw SettingError("heads", fmt::format("heads is {}, which does not divide d-model {}; choose a divisor, or set "
                                          "d-k and d-v",
                                          c.heads, c.d_model));
}

void check_positions(const Config& c) {
  const bool sinusoids = c.positions != Positions::learned && c.positions != Positions::none;
  if (c.positions == Positions::learned && c.position_start >= c.max_positions) {
    throw SettingError("position-start",
                       fmt::format("position-start is {}, but there are {} learned positions; lower it",
                                   c.position_start, c.max_positions));
  }
  if (!sinusoids || c.d_model % 2 == 0) return;
  throw SettingError("d-model", fmt::format("d-model is {}, but sinusoidal positions need an even number; use {}, or "
                                            "positions learned or none",
                                            c.d_model, c.d_model + 1));
}

void check_tie(const Config& c) {
  if ((c.tie != Tie::all && c.tie != Tie::embeddings) || c.source_vocab == c.target_vocab) return;
  throw SettingError("tie", fmt::format("tie is {}, but the vocabularies have {} and {} entries; use tie target or "
                                        "none, or one shared vocabulary",
                                        name_of(c.tie), c.source_vocab, c.target_vocab));
}

void check_mixers(const char* name, const MixerKinds& kinds, Index layers) {
  if (static_cast<Index>(kinds.size()) > layers) {
    throw SettingError(name, fmt::format("{} is '{}', a list of {} for {}; shorten it", name,
                                         FieldText<MixerKinds>::text(kinds), kinds.size(), counted(layers, "layer")));
  }
}

void check_window(const Config& c) {
  const auto has_window = [](const MixerKinds& kinds) { return std::ranges::count(kinds, MixerKind::window) > 0; };
  if (c.window > 0 || (!has_window(c.encoder_mixer) && !has_window(c.decoder_mixer))) return;
  throw SettingError("window", fmt::format("window is {}, but a mixer is of kind window; choose 1 to {}", c.window,
                                           Config::largest_size));
}

}  // namespace

std::string FieldText<MixerKinds>::text(const MixerKinds& kinds) {
  std::vector<std::string> names;
  for (const MixerKind kind : kinds) names.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, ","));
}

MixerKinds FieldText<MixerKinds>::parse(const char* setting, std::string_view text) {
  MixerKinds kinds;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    kinds.push_back(from_name<MixerKind>(setting, text.substr(from, to - from)));
    from = to + 1;
  }
  return kinds;
}

AttentionShape Config::attention_shape() const {
  return {heads, d_k != 0 ? d_k : d_model / heads, d_v != 0 ? d_v : d_model / heads};
}

MixerShape Config::mixer_shape(Sight sight, Index layer) const {
  const MixerKinds& kinds = sight == Sight::whole ? encoder_mixer : decoder_mixer;
  const MixerKind kind = kinds[static_cast<std::size_t>(layer) % kinds.size()];
  return {.kind = kind,
          .sight = sight,
          .d_model = d_model,
          .heads = attention_shape(),
          .bias = attention_bias,
          .window = kind == MixerKind::window ? window : 0,
          .globals = globals};
}

Config with_head_widths(Config config) {
  const AttentionShape shape = config.attention_shape();
  config.d_k = shape.d_k;
  config.d_v = shape.d_v;
  return config;
}

Config without_usual_head_widths(Config config) {
  const Index usual = config.d_model / config.heads;
  if (config.d_k == usual) config.d_k = 0;
  if (config.d_v == usual) config.d_v = 0;
  return config;
}

Config preset(std::string_view name) {
  if (name == "base") return {};
  if (name == "big") return {.d_model = 1024, .d_ff = 4096, .heads = 16, .dropout = 0.3f};
  if (name == "small") return {.encoder_layers = 4, .decoder_layers = 4, .d_model = 256, .d_ff = 1024, .heads = 4};
  if (name == "tiny") return {.encoder_layers = 4, .decoder_layers = 4, .d_model = 128, .d_ff = 256, .heads = 4};
  throw SettingError("preset", fmt::format("preset '{}' is unknown; choose tiny, small, base or big", name));
}

void check(const Config& c) {
  // Equal sizes may be one shared vocabulary, which has one flag.
  if (c.source_vocab == c.target_vocab)
    check_range<Index>("vocab-size", c.source_vocab, 1, std::numeric_limits<int>::max());
  check_fields(c);
  check_heads(c);
  const AttentionShape shape = c.attention_shape();
  check_range<Index>("heads times d-k", c.heads * shape.d_k, 1, Config::largest_size);
  check_range<Index>("heads times d-v", c.heads * shape.d_v, 1, Config::largest_size);
  check_tie(c);
  check_positions(c);
  check_mixers("encoder-mixer", c.encoder_mixer, c.encoder_layers);
  check_mixers("decoder-mixer", c.decoder_mixer, c.decoder_layers);
  check_window(c);
  check_size(c);
}

}  // namespace heed
