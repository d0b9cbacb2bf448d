#include <fmt/format.h>

#include "heed/error.h"
#include "interchange/hugging_face.h"

namespace heed::interchange {
namespace {

void check_kind(const JsonSettings& settings) {
  if (settings.has("format") && !settings.has("model_type")) {
    throw Error(fmt::format("'{}': this is a model of heed's own; use it as it is", settings.name()));
  }
  if (settings.text("model_type") != "marian") {
    settings.refuse("model_type", "of Hugging Face's models heed imports those of the type 'marian'");
  }
}

// Settings that change the computation and that heed lacks, unless they have these values.
void check_defaults(const JsonSettings& settings) {
  for (const char* key : {"normalize_before", "normalize_embedding", "add_final_layer_norm", "add_bias_logits"}) {
    if (settings.truth(key, false)) settings.refuse(key, "Hugging Face's MarianMT has it only as false");
  }
  if (!settings.truth("static_position_embeddings", true)) {
    settings.refuse("static_position_embeddings", "Hugging Face's MarianMT has computed positions");
  }
  if (settings.has("quantization_config")) {
    settings.refuse("quantization_config", "heed imports f32, f16 and bf16; save the model without it");
  }
}

Activation activation_of(const JsonSettings& settings) {
  const std::string name = settings.text("activation_function", "gelu");
  if (name == "relu") return Activation::relu;
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return Activation::gelu_tanh;
  if (name == "quick_gelu") return Activation::gelu_sigmoid;
  if (name == "swish" || name == "silu") return Activation::swish;
  settings.refuse("activation_function", "heed has relu, gelu, gelu_new, quick_gelu and swish");
}

Tie tie_of(const JsonSettings& settings) {
  const bool shared = settings.truth("share_encoder_decoder_embeddings", true);
  const bool tied = settings.truth("tie_word_embeddings", true);
  if (shared) return tied ? Tie::all : Tie::embeddings;
  return tied ? Tie::target : Tie::none;
}

constexpr std::pair<std::string_view, std::string_view> layer_names[] = {
    {"self_attention.query", "self_attn.q_proj"},
    {"self_attention.key", "self_attn.k_proj"},
    {"self_attention.value", "self_attn.v_proj"},
    {"self_attention.output", "self_attn.out_proj"},
    {"self_attention.norm", "self_attn_layer_norm"},
    {"encoder_attention.query", "encoder_attn.q_proj"},
    {"encoder_attention.key", "encoder_attn.k_proj"},
    {"encoder_attention.value", "encoder_attn.v_proj"},
    {"encoder_attention.output", "encoder_attn.out_proj"},
    {"encoder_attention.norm", "encoder_attn_layer_norm"},
    {"feed_forward.inner", "fc1"},
    {"feed_forward.outer", "fc2"},
    {"feed_forward.norm", "final_layer_norm"}};

}  // namespace

Config hugging_face_config(const JsonSettings& settings) {
  check_kind(settings);
  check_defaults(settings);
  Config config;
  config.source_vocab = config.target_vocab = 1;
  config.encoder_layers = settings.whole("encoder_layers", 12);
  config.decoder_layers = settings.whole("decoder_layers", 12);
  config.d_model = settings.whole("d_model", 1024);
  config.heads = settings.whole("encoder_attention_heads", 16);
  if (settings.whole("decoder_attention_heads", 16) != config.heads) {
    settings.refuse("decoder_attention_heads", "heed has as many heads in the decoder as in the encoder");
  }
  config.d_ff = settings.whole("encoder_ffn_dim", 4096);
  if (const Index width = settings.whole("decoder_ffn_dim", 4096); width != config.d_ff) config.decoder_d_ff = width;
  config.activation = activation_of(settings);
  config.tie = tie_of(settings);
  config.embedding_scale = settings.truth("scale_embedding", false) ? EmbeddingScale::root : EmbeddingScale::one;
  config.positions = Positions::halves_paper;
  config.layer_norm_epsilon = 1e-5f;
  config.attention_bias = true;
  config.output_bias = true;
  try {
    check(config);
  } catch (const SettingError& error) {
    throw Error(fmt::format("'{}': {}; heed cannot use such a model", settings.name(), error.what()));
  }
  return config;
}

void set_hugging_face_search(const HuggingFaceSettings& settings, ImportedModel& model) {
  const JsonSettings& beams = settings.search("num_beams");
  const Index beam = beams.whole("num_beams", 1);
  if (beam < 1 || beam > SearchOptions::most_beam) beams.refuse("num_beams", "this is not a beam");
  model.info.beam = static_cast<int>(beam);
  const JsonSettings& penalties = settings.search("length_penalty");
  model.info.alpha = penalties.number("length_penalty", 1.0f);
  if (!(model.info.alpha >= 0.0f && model.info.alpha <= 100.0f)) {
    penalties.refuse("length_penalty", "heed has powers from 0 to 100");
  }
  model.info.length_penalty = LengthPenalty::power;
  const auto note = [&](const char* key) {
    model.notes.push_back(fmt::format("{} of its settings is not used: heed's search has none", key));
  };
  for (const char* key : {"no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "min_length", "min_new_tokens"}) {
    if (settings.search(key).whole(key, 0) != 0) note(key);
  }
  if (settings.search("repetition_penalty").number("repetition_penalty", 1.0f) != 1.0f) note("repetition_penalty");
  if (settings.search("diversity_penalty").number("diversity_penalty", 0.0f) != 0.0f) note("diversity_penalty");
  for (const char* key : {"forced_bos_token_id", "suppress_tokens", "begin_suppress_tokens", "sequence_bias"}) {
    const JsonSettings& found = settings.search(key);
    if (found.has(key)) found.refuse(key, "heed's search has none");
  }
}

std::string hugging_face_name(const std::string& tensor) {
  if (tensor == "embedding.weight") return "model.shared.weight";
  if (tensor == "source_embedding.weight") return "model.encoder.embed_tokens.weight";
  if (tensor == "target_embedding.weight") return "model.decoder.embed_tokens.weight";
  if (tensor == "output.weight") return "lm_head.weight";
  if (tensor == "output.bias") return "final_logits_bias";
  if (tensor == "source_positions.weight") return "model.encoder.embed_positions.weight";
  if (tensor == "target_positions.weight") return "model.decoder.embed_positions.weight";
  // encoder.0.self_attention.query.weight
  const std::size_t layer = tensor.find('.') + 1, part = tensor.find('.', layer) + 1, last = tensor.rfind('.');
  const std::string_view middle = std::string_view(tensor).substr(part, last - part);
  for (const auto& [ours, theirs] : layer_names) {
    if (ours != middle) continue;
    const bool weight = tensor.ends_with(".weight") || tensor.ends_with(".gain");
    return fmt::format("model.{}layers.{}{}.{}", tensor.substr(0, layer), tensor.substr(layer, part - layer), theirs,
                       weight ? "weight" : "bias");
  }
  throw Error(fmt::format("tensor '{}' has no name in Hugging Face's MarianMT", tensor));
}

}  // namespace heed::interchange
