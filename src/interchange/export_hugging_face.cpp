#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "heed/error.h"
#include "interchange/export.h"
#include "interchange/hugging_face.h"
#include "interchange/position_table.h"
#include "model/parameters.h"
#include "model/safetensors.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& setting) {
  throw Error(fmt::format("{}, which Hugging Face's MarianMT cannot express", setting));
}

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::relu: return "relu";
    case Activation::gelu: return "gelu";
    case Activation::gelu_tanh: return "gelu_new";
    case Activation::gelu_sigmoid: return "quick_gelu";
    case Activation::swish: return "swish";
  }
  return "";
}

class Writer {
 public:
  explicit Writer(ExportedModel& model) : model_(model), config_(model.info.config), pad_(config_.target_vocab) {}

  void write(const fs::path& folder) {
    for (const Tensor& tensor : layout_of(config_).tensors) add(tensor);
    add_embeddings();
    add_biases();
    add_positions();
    write_safetensors(folder / "model.safetensors", tensors_, {{"format", "pt"}});
    write_file(folder / "config.json", settings().dump(2) + '\n');
    write_file(folder / "generation_config.json", generation().dump(2) + '\n');
    write_tokenizers(folder);
    add_notes();
  }

 private:
  bool shares() const { return config_.tie == Tie::all || config_.tie == Tie::embeddings; }
  bool ties() const { return config_.tie == Tie::all || config_.tie == Tie::target; }

  void add(const std::string& name, std::vector<Index> shape, std::vector<float> values) {
    const std::vector<float>& kept = values_.emplace_back(std::move(values));
    tensors_.push_back({name, std::move(shape), StoredType::f32, std::as_bytes(std::span(kept))});
  }

  std::vector<float> values_of(const Tensor& tensor) const {
    const auto first = model_.weights.begin() + tensor.offset;
    return {first, first + tensor.size()};
  }

  // What goes by tokens gets a last row for <pad>, which is zero.
  void add(const Tensor& tensor) {
    std::vector<float> values = values_of(tensor);
    std::vector<Index> shape = tensor.shape();
    if (tensor.role == Role::embedding || tensor.name == "output.weight") {
      shape[0] += 1;
      values.resize(values.size() + static_cast<std::size_t>(tensor.cols), 0.0f);
    } else if (tensor.name == "output.bias") {
      shape = {1, tensor.cols + 1};
      values.push_back(0.0f);
    }
    add(hugging_face_name(tensor.name), std::move(shape), std::move(values));
  }

  // Without tie_word_embeddings later versions read one for each stack, even if they are the same.
  void add_embeddings() {
    if (config_.tie != Tie::embeddings) return;
    const NamedTensor shared = tensors_.front();
    for (const char* name : {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}) {
      tensors_.push_back({name, shared.shape, shared.type, shared.bytes});
    }
  }

  // MarianMT always has biases.
  void add_biases() {
    if (!config_.output_bias) {
      add("final_logits_bias", {1, pad_ + 1}, std::vector<float>(static_cast<std::size_t>(pad_ + 1), 0.0f));
    }
    if (config_.attention_bias) return;
    for (const Tensor& tensor : layout_of(config_).tensors) {
      const bool projection = tensor.name.find("_attention.") != std::string::npos && tensor.name.ends_with(".weight");
      if (!projection) continue;
      const std::string bias = tensor.name.substr(0, tensor.name.rfind('.')) + ".bias";
      add(hugging_face_name(bias), {tensor.rows}, std::vector<float>(static_cast<std::size_t>(tensor.rows), 0.0f));
    }
  }

  // A table for all but the positions that MarianMT computes itself.
  void add_positions() {
    const bool own = config_.positions == Positions::halves_paper && config_.position_start == 0;
    if (own || config_.positions == Positions::learned) return;
    for (const char* side : {"source_positions.weight", "target_positions.weight"}) {
      add(hugging_face_name(side), {exported_positions, config_.d_model},
          make_position_table(config_, exported_positions));
    }
  }

  nlohmann::ordered_json settings() const {
    const Index most = config_.positions == Positions::learned ? config_.max_positions : exported_positions;
    return {{"architectures", {"MarianMTModel"}},
            {"model_type", "marian"},
            {"is_encoder_decoder", true},
            {"d_model", config_.d_model},
            {"encoder_layers", config_.encoder_layers},
            {"decoder_layers", config_.decoder_layers},
            {"encoder_attention_heads", config_.heads},
            {"decoder_attention_heads", config_.heads},
            {"encoder_ffn_dim", config_.d_ff},
            {"decoder_ffn_dim", config_.decoder_width()},
            {"activation_function", activation_name(config_.activation)},
            {"dropout", config_.dropout},
            {"attention_dropout", 0.0},
            {"activation_dropout", 0.0},
            {"max_position_embeddings", most},
            {"scale_embedding", config_.embedding_scale == EmbeddingScale::root},
            {"static_position_embeddings", true},
            {"share_encoder_decoder_embeddings", shares()},
            {"tie_word_embeddings", ties()},
            {"vocab_size", config_.source_vocab + 1},
            {"decoder_vocab_size", config_.target_vocab + 1},
            {"bos_token_id", start_token},
            {"eos_token_id", end_token},
            {"forced_eos_token_id", end_token},
            {"pad_token_id", pad_},
            {"decoder_start_token_id", first_token()},
            {"torch_dtype", "float32"}};
  }

  Index first_token() const { return config_.start == StartFrom::zero ? pad_ : Index{start_token}; }

  nlohmann::ordered_json generation() const {
    nlohmann::ordered_json json{{"bos_token_id", start_token},
                                {"eos_token_id", end_token},
                                {"forced_eos_token_id", end_token},
                                {"pad_token_id", pad_},
                                {"decoder_start_token_id", first_token()},
                                {"bad_words_ids", {{pad_}}},
                                {"max_length", 512},
                                {"num_beams", model_.info.beam},
                                {"renormalize_logits", true}};
    if (model_.info.length_penalty == LengthPenalty::power) json["length_penalty"] = model_.info.alpha;
    return json;
  }

  void write_tokenizers(const fs::path& folder) const {
    const TokenizerPair& pair = model_.tokenizers;
    const auto vocabulary = [&](const Tokenizer& tokenizer) {
      nlohmann::ordered_json json = nlohmann::ordered_json::object();
      for (int id = 0; id < tokenizer.size(); ++id) json[tokenizer.piece(id)] = id;
      json["<pad>"] = tokenizer.size();
      return json.dump(1) + '\n';
    };
    write_file(folder / "vocab.json", vocabulary(*pair.source));
    if (!same_pieces(pair)) write_file(folder / "target_vocab.json", vocabulary(*pair.target));
    write_file(folder / "source.spm", pair.source->serialised());
    write_file(folder / "target.spm", pair.target->serialised());
    const nlohmann::ordered_json json{{"tokenizer_class", "MarianTokenizer"},
                                      {"source_lang", model_.info.source_language},
                                      {"target_lang", model_.info.target_language},
                                      {"separate_vocabs", !same_pieces(pair)},
                                      {"model_max_length", 512},
                                      {"unk_token", "<unk>"},
                                      {"eos_token", "</s>"},
                                      {"pad_token", "<pad>"}};
    write_file(folder / "tokenizer_config.json", json.dump(2) + '\n');
  }

  void add_notes() {
    if (config_.layer_norm_epsilon != 1e-5f) {
      model_.notes.push_back(
          fmt::format("layer-norm-epsilon is {} here and always 1e-05 in Hugging Face's MarianMT: log-probabilities "
                      "differ slightly",
                      config_.layer_norm_epsilon));
    }
    if (model_.info.length_penalty != LengthPenalty::power) {
      model_.notes.emplace_back(
          "length-penalty is the paper's here; Hugging Face has powers of the length, so its own default is used "
          "there");
    }
  }

  ExportedModel& model_;
  const Config& config_;
  Index pad_;
  std::list<std::vector<float>> values_;  // what the tensors point into
  std::vector<NamedTensor> tensors_;
};

}  // namespace

void check_hugging_face(const ModelInfo& info, const TokenizerPair& tokenizers) {
  const Config& config = info.config;
  const AttentionShape shape = config.attention_shape();
  if (config.encoder_mixer != MixerKinds{MixerKind::attention}) {
    refuse(fmt::format("encoder-mixer is {}", FieldText<MixerKinds>::text(config.encoder_mixer)));
  }
  if (config.decoder_mixer != MixerKinds{MixerKind::attention}) {
    refuse(fmt::format("decoder-mixer is {}", FieldText<MixerKinds>::text(config.decoder_mixer)));
  }
  if (shape.d_k * config.heads != config.d_model) refuse(fmt::format("d-k is {}, not d-model / heads", shape.d_k));
  if (shape.d_v * config.heads != config.d_model) refuse(fmt::format("d-v is {}, not d-model / heads", shape.d_v));
  if (config.norm == Norm::before) refuse("norm is before");
  if (config.final_norm) refuse("final-norm is on");
  if (config.embedding_norm) refuse("embedding-norm is on");
  if (config.positions == Positions::learned && config.position_start != 0) {
    refuse(fmt::format("position-start is {} with learned positions", config.position_start));
  }
  if (!info.source_end) refuse("source_end is false");
  if (config.source_vocab != config.target_vocab) {
    refuse(fmt::format("the vocabularies have {} and {} entries with one pad_token_id for both", config.source_vocab,
                       config.target_vocab));
  }
  for (const auto& tokenizer : {tokenizers.source, tokenizers.target}) {
    if (tokenizer->kind() == TokenizerKind::space) refuse("the tokenizer is space");
    if (tokenizer->id_of("<pad>") != unknown_token) refuse("the vocabulary has a <pad> of its own");
  }
}

void write_hugging_face(const fs::path& folder, ExportedModel& model) { Writer(model).write(folder); }

}  // namespace heed::interchange
