#include "interchange/ctranslate2_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/one_line.h"
#include "heed/error.h"
#include "interchange/position_table.h"

namespace heed::interchange {
namespace {

constexpr std::uint32_t first_with_config_file = 6;
constexpr std::uint32_t first_with_attributes_by_stack = 5;
constexpr const char* stacks[] = {"encoder", "decoder"};

}  // namespace

Ctranslate2Config::Ctranslate2Config(const Ctranslate2File& file, const JsonSettings& config, std::string name)
    : file_(file), json_(config), name_(std::move(name)) {}

void Ctranslate2Config::require(bool condition, const std::string& what) const {
  if (!condition) throw Error(fmt::format("'{}': {}", name_, what));
}

const StoredTensor* Ctranslate2Config::find(const std::string& variable) {
  const auto found = file_.variables.find(variable);
  if (found == file_.variables.end()) return nullptr;
  used_.insert(variable);
  return &found->second;
}

const StoredTensor& Ctranslate2Config::need(const std::string& variable) const {
  const auto found = file_.variables.find(variable);
  require(found != file_.variables.end(), fmt::format("'{}' is missing; convert the model again", variable));
  require(found->second.size() > 0, fmt::format("'{}' is empty; convert the model again", variable));
  return found->second;
}

std::int64_t Ctranslate2Config::whole(const std::string& variable, std::int64_t fallback) {
  const StoredTensor* found = find(variable);
  if (found == nullptr) return fallback;
  const bool integer =
      found->form == StoredForm::int8 || found->form == StoredForm::int16 || found->form == StoredForm::int32;
  require(integer && found->size() == 1, fmt::format("'{}' is not a whole number", one_line(variable)));
  return found->whole(0);
}

const StoredTensor* Ctranslate2Config::attribute(const std::string& stack, const char* name) {
  if (const StoredTensor* own = find(fmt::format("{}/{}", stack, name))) return own;
  return file_.revision < first_with_attributes_by_stack ? find(name) : nullptr;
}

std::int64_t Ctranslate2Config::both(const char* attribute_name, std::int64_t fallback) {
  std::int64_t values[] = {fallback, fallback};
  for (std::size_t i = 0; i < 2; ++i) {
    const StoredTensor* found = attribute(stacks[i], attribute_name);
    if (found == nullptr) continue;
    require(found->size() == 1 && found->form != StoredForm::f32 && found->form != StoredForm::f16 &&
                found->form != StoredForm::bf16,
            fmt::format("'{}' is not a whole number", attribute_name));
    values[i] = found->whole(0);
  }
  require(values[0] == values[1], fmt::format("{} is {} in the encoder and {} in the decoder, which heed cannot "
                                              "represent",
                                              attribute_name, values[0], values[1]));
  return values[0];
}

// Texts of older files are 8-bit integers.
std::string Ctranslate2Config::text(const std::string& variable, const std::string& fallback) {
  const StoredTensor* found = find(variable);
  if (found == nullptr) return fallback;
  require(found->form == StoredForm::int8, fmt::format("'{}' is not text", variable));
  return std::string(found->bytes);
}

Index Ctranslate2Config::count_layers(const std::string& stack) const {
  Index count = 0;
  while (file_.variables.contains(fmt::format("{}/layer_{}/ffn/linear_0/weight", stack, count))) ++count;
  return count;
}

// Features that change the computation and that heed lacks; others show by tensors that nothing uses.
void Ctranslate2Config::check_features() {
  const bool known =
      file_.spec == "TransformerSpec" || file_.spec == "TransformerBase" || file_.spec == "TransformerBig";
  require(known, fmt::format("its specification is {}; heed imports TransformerSpec", one_line(file_.spec)));
  require(both("multi_query_attention", 0) == 0, "multi_query_attention is on, which heed does not have");
  require(whole("decoder/alibi", 0) == 0, "decoder/alibi is on, which heed does not have");
  require(both("sliding_window", 0) == 0, "sliding_window is set, which heed does not import");
  const StoredTensor* scale = find("decoder/scale_outputs");
  require(scale == nullptr || (scale->size() == 1 && scale->number(0) == 1.0f),
          "decoder/scale_outputs is set, which heed does not have");
  require(file_.variables.find("encoder/embeddings_1/weight") == file_.variables.end(),
          "encoder/embeddings_1: there are several source embeddings, which heed does not have");
  // These change nothing: how alibi would be used, and which heads give alignments.
  for (const char* name : {"alibi_use_positive_positions", "scale_alibi", "alignment_layer", "alignment_heads"}) {
    attribute("decoder", name);
  }
  attribute("encoder", "embeddings_merge");
}

bool Ctranslate2Config::both_have(const std::string& part, const char* what) {
  const bool encoder = file_.variables.contains("encoder/" + part + "/gamma");
  const bool decoder = file_.variables.contains("decoder/" + part + "/gamma");
  require(encoder == decoder, fmt::format("{} is in one of encoder and decoder, which heed cannot represent", part));
  require(!encoder || file_.variables.contains("encoder/" + part + "/beta"),
          fmt::format("{} has no beta: RMS norm, which heed does not have", what));
  return encoder;
}

void Ctranslate2Config::set_norms(Config& config) {
  const bool final_norm = both_have("layer_norm", "layer_norm");
  config.norm = both("pre_norm", 1) != 0 ? Norm::before : Norm::after;
  require(config.norm == Norm::after || final_norm,
          "pre_norm is on without a layer_norm after the last layer, which heed always has there");
  config.final_norm = config.norm == Norm::after && final_norm;
  config.embedding_norm = both_have("layernorm_embedding", "layernorm_embedding");
  require(both_have("layer_0/ffn/layer_norm", "layer_0/ffn/layer_norm"), "the layers have no norms");
}

void Ctranslate2Config::set_activation(Config& config) {
  constexpr Activation known[] = {Activation::relu, Activation::gelu_tanh, Activation::swish, Activation::gelu,
                                  Activation::gelu_sigmoid};
  const std::int64_t number = both("activation", 0);
  require(number >= 0 && number < static_cast<std::int64_t>(std::size(known)),
          fmt::format("activation is {}; heed has relu (0), gelu (1, 3, 4) and swish (2)", number));
  config.activation = known[number];
}

// A truth, or the factor itself.
void Ctranslate2Config::set_scale(Config& config) {
  EmbeddingScale scales[2] = {};
  const float root = std::sqrt(static_cast<float>(config.d_model));
  for (std::size_t i = 0; i < 2; ++i) {
    const StoredTensor* found = find(fmt::format("{}/scale_embeddings", stacks[i]));
    if (found == nullptr) found = find(fmt::format("{}/embeddings/multiply_by_sqrt_depth", stacks[i]));
    scales[i] = EmbeddingScale::root;
    if (found == nullptr) continue;
    require(found->size() == 1, fmt::format("{}/scale_embeddings is not a number", stacks[i]));
    const float factor = found->form == StoredForm::int8 ? (found->whole(0) != 0 ? root : 1.0f) : found->number(0);
    if (factor == 1.0f) scales[i] = EmbeddingScale::one;
    require(
        factor == 1.0f || std::abs(factor / root - 1.0f) < 1e-3f,
        fmt::format("{}/scale_embeddings is {}; heed has 1 and the root of the width, {}", stacks[i], factor, root));
  }
  require(scales[0] == scales[1], "scale_embeddings differs between encoder and decoder, which heed cannot represent");
  config.embedding_scale = scales[0];
}

void Ctranslate2Config::set_positions(Config& config) {
  const std::string names[] = {"encoder/position_encodings/encodings", "decoder/position_encodings/encodings"};
  const bool tables[] = {file_.variables.contains(names[0]), file_.variables.contains(names[1])};
  require(tables[0] == tables[1], "position_encodings are in one of encoder and decoder, which heed cannot represent");
  if (!tables[0]) {
    // What the library computes where a file has no table.
    config.positions = Positions::halves;
    config.position_start = 1;
    return;
  }
  const PositionKind kind = recognise_positions(need(names[0]));
  require(kind == recognise_positions(need(names[1])),
          "position_encodings of encoder and decoder are of different kinds, which heed cannot represent");
  config.positions = kind.positions;
  config.position_start = kind.start;
  if (kind.positions == Positions::learned) {
    require(need(names[0]).rows() == need(names[1]).rows(), "position_encodings of encoder and decoder differ in size");
    config.max_positions = need(names[0]).rows();
  } else {
    used_.insert(std::begin(names), std::end(names));
  }
}

std::string Ctranslate2Config::source_embedding() const {
  constexpr const char* old = "encoder/embeddings/weight";
  return file_.variables.contains(old) ? old : "encoder/embeddings_0/weight";
}

Config Ctranslate2Config::config() {
  check_features();
  Config config;
  config.source_vocab = config.target_vocab = 1;
  config.encoder_layers = count_layers("encoder");
  config.decoder_layers = count_layers("decoder");
  config.d_model = need(source_embedding()).cols();
  config.heads = both("num_heads", file_.spec == "TransformerBig" ? 16 : 8);
  config.d_ff = need("encoder/layer_0/ffn/linear_0/weight").rows();
  if (const Index width = need("decoder/layer_0/ffn/linear_0/weight").rows(); width != config.d_ff) {
    config.decoder_d_ff = width;
  }
  set_norms(config);
  set_activation(config);
  set_scale(config);
  set_positions(config);
  config.layer_norm_epsilon = settings().epsilon;
  config.attention_bias = file_.variables.contains("encoder/layer_0/self_attention/linear_0/bias");
  config.start = whole("decoder/start_from_zero_embedding", 0) != 0 ? StartFrom::zero : StartFrom::token;
  try {
    check(config);
  } catch (const SettingError& error) {
    throw Error(fmt::format("'{}': {}; heed cannot use such a model", name_, error.what()));
  }
  return config;
}

Ctranslate2Settings Ctranslate2Config::settings() {
  Ctranslate2Settings settings;
  SpecialNames& special = settings.special;
  if (file_.version < first_with_config_file) {
    special = {text("unk_token", "<unk>"), text("bos_token", "<s>"), text("eos_token", "</s>")};
    settings.source_start = whole("with_source_bos", 0) != 0;
    settings.source_end = whole("with_source_eos", 0) != 0;
    const bool own_start = whole("with_target_bos", 1) != 0;
    if (whole("user_decoder_start_tokens", 0) == 0) settings.start = own_start ? special.start : special.end;
    return settings;
  }
  special = {json_.text("unk_token", "<unk>"), json_.text("bos_token", "<s>"), json_.text("eos_token", "</s>")};
  settings.source_start = json_.truth("add_source_bos", false);
  settings.source_end = json_.truth("add_source_eos", false);
  if (json_.has("decoder_start_token")) settings.start = json_.text("decoder_start_token");
  settings.epsilon = json_.number("layer_norm_epsilon", settings.epsilon);
  if (json_.has("quantization_type") && json_.whole("quantization_type", 0) != 0) {
    json_.refuse("quantization_type", "heed imports CTranslate2's own quantisation, 0");
  }
  return settings;
}

}  // namespace heed::interchange
