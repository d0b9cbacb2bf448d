#include "cli/model_flags.h"

#include "cli/parse_enum.h"
#include "cli/whole_number.h"

namespace heed::cli {
namespace {

template <class Enum>
void set_enum(Enum& value, const char* field, const std::optional<std::string>& name) {
  if (name) value = parse_enum<Enum>(field, *name);
}

template <class T>
void set(T& value, const std::optional<T>& given) {
  if (given) value = *given;
}

}  // namespace

ModelFlags::ModelFlags(CLI::App& command, std::string preset) : preset_(std::move(preset)) {
  const auto flag = [&](const char* name, auto& value, const char* help) {
    return check_whole(command.add_option(name, value, help)->group("Model"), value);
  };
  preset_flag_ = flag("--preset", preset_, "tiny, small, base or big")->capture_default_str();
  flag("--vocab-size", vocab_size_, "Entries of the shared vocabulary")->capture_default_str();
  flag("--source-vocab-size", source_vocab_, "Entries of the source vocabulary, with --tie target or none");
  flag("--target-vocab-size", target_vocab_, "Entries of the target vocabulary, with --tie target or none");
  flag("--encoder-layers", encoder_layers_, "Encoder layers [preset]");
  flag("--decoder-layers", decoder_layers_, "Decoder layers [preset]");
  flag("--d-model", d_model_, "Width of the model [preset]");
  flag("--d-ff", d_ff_, "Width inside the feed-forward layers [preset]");
  flag("--heads", heads_, "Attention heads [preset]");
  flag("--d-k", d_k_, "Width of a head's queries and keys [d-model / heads]");
  flag("--d-v", d_v_, "Width of a head's values [d-model / heads]");
  flag("--dropout", dropout_, "Dropout rate [preset]");
  flag("--label-smoothing", label_smoothing_, "Label smoothing [preset]");
  flag("--positions", positions_, "sinusoidal, halves, learned or none [sinusoidal]");
  flag("--max-positions", max_positions_, "Longest sentence, with --positions learned [1024]");
  flag("--norm", norm_, "Layer norm after or before each sub-layer [after]");
  flag("--tie", tie_, "Share embeddings and output: all, target or none [all]");
  flag("--activation", activation_, "relu, gelu or swish [relu]");
  flag("--start", start_, "The decoder starts from a token or from zero [token]");
  command.add_flag("--attention-bias", attention_bias_, "Biases in the attention projections")->group("Model");
  command.add_flag("--output-bias", output_bias_, "A bias in the output layer")->group("Model");
}

Config ModelFlags::config() const { return config(source_vocab_size(), target_vocab_size()); }

Config ModelFlags::config(Index source_vocab, Index target_vocab) const {
  Config c = preset(preset_);
  c.source_vocab = source_vocab;
  c.target_vocab = target_vocab;
  return with_flags(c);
}

Config ModelFlags::changed(const Config& from) const {
  return preset_flag_->count() > 0 ? config(from.source_vocab, from.target_vocab) : with_flags(from);
}

Config ModelFlags::with_flags(Config c) const {
  set(c.encoder_layers, encoder_layers_);
  set(c.decoder_layers, decoder_layers_);
  set(c.d_model, d_model_);
  set(c.d_ff, d_ff_);
  set(c.heads, heads_);
  set(c.d_k, d_k_);
  set(c.d_v, d_v_);
  set(c.max_positions, max_positions_);
  set(c.dropout, dropout_);
  set(c.label_smoothing, label_smoothing_);
  set_enum(c.positions, "positions", positions_);
  set_enum(c.norm, "norm", norm_);
  set_enum(c.tie, "tie", tie_);
  set_enum(c.activation, "activation", activation_);
  set_enum(c.start, "start", start_);
  c.attention_bias = c.attention_bias || attention_bias_;
  c.output_bias = c.output_bias || output_bias_;
  check(c);
  return c;
}

}  // namespace heed::cli
