// The shape of a Transformer and the settings that belong to its preset.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/index.h"
#include "layers/embedding.h"
#include "layers/feed_forward.h"
#include "layers/mixer.h"
#include "layers/residual.h"

namespace heed {

// Which of source embedding, target embedding and output share one matrix.
enum class Tie { all, target, none, embeddings };
template <>
struct EnumNames<Tie> {
  static constexpr std::array names{"all", "target", "none", "embeddings"};
};

enum class StartFrom { token, zero };  // what the decoder sees at position 0
template <>
struct EnumNames<StartFrom> {
  static constexpr std::array names{"token", "zero"};
};

enum class EmbeddingScale { root, one };  // root: √d_model, as in the paper
template <>
struct EnumNames<EmbeddingScale> {
  static constexpr std::array names{"root", "one"};
};

// The kinds of a stack's mixers, which repeat over its layers.
using MixerKinds = std::vector<MixerKind>;
template <>
struct FieldText<MixerKinds> {
  static std::string text(const MixerKinds& kinds);
  static MixerKinds parse(const char* setting, std::string_view text);
};

struct Config {
  Index encoder_layers = 6;
  Index decoder_layers = 6;
  Index d_model = 512;
  Index d_ff = 2048;
  Index decoder_d_ff = 0;  // 0: d_ff
  Index heads = 8;
  Index d_k = 0;  // 0: d_model / heads
  Index d_v = 0;  // 0: d_model / heads
  Index source_vocab = 0;
  Index target_vocab = 0;
  Positions positions = Positions::sinusoidal;
  Index max_positions = 1024;  // of learned positions
  Index position_start = 0;
  EmbeddingScale embedding_scale = EmbeddingScale::root;
  bool embedding_norm = false;
  Norm norm = Norm::after;
  bool final_norm = false;  // with Norm::before there is always one
  float layer_norm_epsilon = 1e-6f;
  Tie tie = Tie::all;
  Activation activation = Activation::relu;
  StartFrom start = StartFrom::token;
  bool attention_bias = false;
  bool output_bias = false;
  MixerKinds encoder_mixer{MixerKind::attention};
  MixerKinds decoder_mixer{MixerKind::attention};
  Index window = 0;   // of the mixers of kind window, which need one
  Index globals = 0;  // likewise
  float dropout = 0.1f;
  float label_smoothing = 0.1f;

  AttentionShape attention_shape() const;
  MixerShape mixer_shape(Sight sight, Index layer) const;
  // The longest sentence that positions allow.
  Index most_positions() const {
    return positions == Positions::learned ? max_positions - position_start : std::numeric_limits<Index>::max();
  }
  Index decoder_width() const { return decoder_d_ff != 0 ? decoder_d_ff : d_ff; }

  // Far beyond any machine, and small enough that no product of two sizes overflows.
  static constexpr Index largest_size = Index{1} << 30;

  // The single list of the fields.
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& field) {
    constexpr Index largest_vocabulary = std::numeric_limits<int>::max();
    constexpr Index most_layers = 1024;
    field(c.encoder_layers, Field<Index>{"encoder-layers", "Encoder layers [preset]", 1, most_layers});
    field(c.decoder_layers, Field<Index>{"decoder-layers", "Decoder layers [preset]", 1, most_layers});
    field(c.d_model, Field<Index>{"d-model", "Width of the model [preset]", 1, largest_size});
    field(c.d_ff, Field<Index>{"d-ff", "Width inside the feed-forward layers [preset]", 1, largest_size});
    field(c.decoder_d_ff, Field<Index>{"decoder-d-ff", "The same in the decoder [d-ff]", 0, largest_size});
    field(c.heads, Field<Index>{"heads", "Attention heads [preset]", 1, largest_size});
    field(c.d_k, Field<Index>{"d-k", "Width of a head's queries and keys [d-model / heads]", 0, largest_size});
    field(c.d_v, Field<Index>{"d-v", "Width of a head's values [d-model / heads]", 0, largest_size});
    field(c.source_vocab,
          Field<Index>{"source-vocab-size", "Entries of the source vocabulary, with --tie target or none", 1,
                       largest_vocabulary});
    field(c.target_vocab,
          Field<Index>{"target-vocab-size", "Entries of the target vocabulary, with --tie target or none", 1,
                       largest_vocabulary});
    field(c.positions, Field<Positions>{"positions", "sinusoidal, halves, halves-paper, learned or none [sinusoidal]"});
    field(c.max_positions,
          Field<Index>{"max-positions", "Longest sentence, with --positions learned [1024]", 1, largest_size});
    field(c.position_start, Field<Index>{"position-start", "Number of the first position [0]", 0, 1 << 20});
    field(c.embedding_scale,
          Field<EmbeddingScale>{"embedding-scale", "Embeddings times √d-model (root) or as they are (one) [root]"});
    field(c.embedding_norm, Field<bool>{"embedding-norm", "A layer norm after the embeddings"});
    field(c.norm, Field<Norm>{"norm", "Layer norm after or before each sub-layer [after]"});
    field(c.final_norm, Field<bool>{"final-norm", "A layer norm after the last layer, also with --norm after"});
    field(c.layer_norm_epsilon,
          Field<float>{"layer-norm-epsilon", "Added to the variance in layer norms [1e-06]", 1e-12f, 0.1f});
    field(c.tie, Field<Tie>{"tie", "Share embeddings and output: all, target, embeddings or none [all]"});
    field(c.activation, Field<Activation>{"activation", "relu, gelu, gelu-tanh, gelu-sigmoid or swish [relu]"});
    field(c.start, Field<StartFrom>{"start", "The decoder starts from a token or from zero [token]"});
    field(c.attention_bias, Field<bool>{"attention-bias", "Biases in the attention projections"});
    field(c.output_bias, Field<bool>{"output-bias", "A bias in the output layer"});
    field(c.encoder_mixer, Field<MixerKinds>{"encoder-mixer", "Kinds of the encoder's mixers, by layer [attention]"});
    field(c.decoder_mixer, Field<MixerKinds>{"decoder-mixer", "Kinds of the decoder's mixers, by layer [attention]"});
    field(c.window, Field<Index>{"window", "Positions a window mixer sees on each side; in the decoder, up to its own",
                                 0, largest_size});
    field(c.globals, Field<Index>{"globals", "First positions, which a window mixer always sees [0]", 0, largest_size});
    field(c.dropout, Field<float>{"dropout", "Dropout rate [preset]", 0.0f, 1.0f, true, Scope::training});
    field(c.label_smoothing,
          Field<float>{"label-smoothing", "Label smoothing [preset]", 0.0f, 1.0f, true, Scope::training});
  }
};

// "tiny", "small", "base" or "big"; throws SettingError with the list for any other name.
Config preset(std::string_view name);

// Throws SettingError that names the first invalid field, its value and the valid range.
void check(const Config& config);

// The same config with explicit head widths, or with 0 for those that follow from d_model and heads.
Config with_head_widths(Config config);
Config without_usual_head_widths(Config config);

}  // namespace heed
