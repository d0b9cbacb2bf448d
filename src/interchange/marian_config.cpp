#include <fmt/format.h>

#include <array>
#include <charconv>

#include "heed/error.h"
#include "interchange/marian_model.h"
#include "interchange/yaml_settings.h"

namespace heed::interchange {
namespace {

constexpr Index most_layers = 64;
constexpr const char* cannot = "heed cannot represent it";

YamlSettings settings_of(const MarianFile& file) { return {file.options, file.name + ": special:model.yml"}; }

void check_type(const YamlSettings& settings) {
  const std::string type = settings.text("type", "transformer");
  if (type != "transformer" && type != "transformer-new") settings.refuse("type", "heed imports transformers");
}

// Options that change the computation and that heed lacks, unless they have their default.
void check_defaults(const YamlSettings& settings) {
  for (const char* key :
       {"transformer-no-projection", "transformer-pool", "transformer-no-bias", "transformer-no-affine", "ulr",
        "right-left", "transformer-disable-position-embeddings", "transformer-rnn-projection"}) {
    if (settings.truth(key)) settings.refuse(key, cannot);
  }
  for (const char* key : {"lemma-dim-emb", "factors-dim-emb"}) {
    if (settings.whole(key, 0) != 0) settings.refuse(key, "heed has no factored vocabularies");
  }
  if (settings.text("transformer-attention-mask", "default") != "default") {
    settings.refuse("transformer-attention-mask", cannot);
  }
  for (const std::string& type : settings.list("input-types")) {
    if (type != "sequence") settings.refuse("input-types", "heed imports models with text on both sides");
  }
  if (settings.whole("transformer-ffn-depth", 2) != 2) settings.refuse("transformer-ffn-depth", "heed has 2");
  const Index depth = settings.whole("transformer-decoder-ffn-depth", 0);
  if (depth != 0 && depth != 2) settings.refuse("transformer-decoder-ffn-depth", "heed has 2");
}

// Letters of a processing sequence without dropout, which is for training alone.
std::string letters(const YamlSettings& settings, const char* key, const char* fallback) {
  std::string kept;
  for (const char letter : settings.text(key, fallback)) {
    if (letter != 'd') kept += letter;
  }
  return kept;
}

// v1.9.56 as numbers; zeros for anything else.
std::array<int, 3> parse_version(const std::string& text) {
  std::array<int, 3> numbers{};
  const char* at = text.data() + (text.starts_with('v') ? 1 : 0);
  const char* end = text.data() + text.size();
  for (int& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    at = next != end && *next == '.' ? next + 1 : next;
  }
  return numbers;
}

void set_norm(const YamlSettings& settings, Config& config) {
  const std::string before = letters(settings, "transformer-preprocess", "");
  const std::string after = letters(settings, "transformer-postprocess", "dan");
  if (before == "n" && after == "a") {
    config.norm = Norm::before;
  } else if (!before.empty()) {
    settings.refuse("transformer-preprocess", "heed has the norm before each sub-layer ('n' and 'da')");
  } else if (after != "an") {
    settings.refuse("transformer-postprocess", "heed has the norm after each sub-layer ('dan')");
  }
  const std::string top = letters(settings, "transformer-postprocess-top", "");
  if (!top.empty() && top != "n") settings.refuse("transformer-postprocess-top", "heed has a norm there ('n')");
  if (config.norm == Norm::before && top.empty()) {
    settings.refuse("transformer-postprocess-top", "with the norm before each sub-layer heed always has one ('n')");
  }
  config.final_norm = config.norm == Norm::after && top == "n";
  const std::string embedding = letters(settings, "transformer-postprocess-emb", "d");
  if (!embedding.empty() && embedding != "n") settings.refuse("transformer-postprocess-emb", cannot);
  config.embedding_norm = embedding == "n";
  constexpr std::array first_ordinary{1, 10, 28};
  if (config.norm == Norm::before && parse_version(settings.text("version")) < first_ordinary) {
    settings.refuse("version",
                    "before v1.10.28 the transformer-preprocess 'n' left keys and values without the norm, which heed "
                    "cannot represent");
  }
}

void set_activation(const YamlSettings& settings, Config& config) {
  const std::string name = settings.text("transformer-ffn-activation", "swish");
  if (name == "relu") {
    config.activation = Activation::relu;
  } else if (name == "swish") {
    config.activation = Activation::swish;
  } else if (name == "gelu") {
    // Marian's was x · σ(1.702 x) at first.
    constexpr std::array first_exact{1, 12, 3};
    const bool exact = parse_version(settings.text("version")) >= first_exact;
    config.activation = exact ? Activation::gelu : Activation::gelu_sigmoid;
  } else {
    settings.refuse("transformer-ffn-activation", "heed has relu, swish and gelu");
  }
}

void set_decoder(const YamlSettings& settings, Config& config) {
  const std::string kind = settings.text("transformer-decoder-autoreg", "self-attention");
  if (kind == "rnn") {
    if (settings.text("dec-cell", "gru") != "ssru") settings.refuse("dec-cell", "heed has ssru");
    config.decoder_mixer = {MixerKind::ssru};
  } else if (kind != "self-attention") {
    settings.refuse("transformer-decoder-autoreg", "heed has self-attention and rnn with ssru");
  }
}

const MarianTensor& need(const MarianFile& file, const std::string& tensor) {
  if (const MarianTensor* found = file.find(tensor)) return *found;
  throw Error(fmt::format("'{}': tensor '{}' is missing; fetch the file again", file.name, tensor));
}

// The columns of a matrix that takes rows of the model's width; `wanted` of them, unless that is 0.
Index inner_width(const MarianFile& file, const std::string& tensor, Index d_model, Index wanted = 0) {
  const MarianTensor& found = need(file, tensor);
  if (found.rows != d_model || (wanted != 0 && found.cols != wanted)) {
    throw Error(fmt::format("'{}': tensor '{}' is {} × {}, which does not fit embeddings of {} numbers", file.name,
                            tensor, found.rows, found.cols, d_model));
  }
  return found.cols;
}

void set_tie(const MarianFile& file, Config& config) {
  const bool own_output =
      file.find("decoder_ff_logit_out_Wt") != nullptr || file.find("decoder_ff_logit_out_W") != nullptr;
  if (file.find("Wemb") != nullptr) {
    config.tie = own_output ? Tie::embeddings : Tie::all;
  } else {
    config.tie = own_output ? Tie::none : Tie::target;
  }
}

}  // namespace

VocabularyRows vocabulary_rows(const MarianFile& file) {
  if (const MarianTensor* both = file.find("Wemb")) return {both->rows, both->rows, true};
  return {need(file, "encoder_Wemb").rows, need(file, "decoder_Wemb").rows, false};
}

Config marian_config(const MarianFile& file) {
  const YamlSettings settings = settings_of(file);
  check_type(settings);
  check_defaults(settings);
  Config config;
  config.source_vocab = config.target_vocab = 1;
  config.encoder_layers = settings.whole("enc-depth", 1);
  config.decoder_layers = settings.whole("dec-depth", 1);
  config.heads = settings.whole("transformer-heads", 8);
  const MarianTensor& embedding = need(file, file.find("Wemb") != nullptr ? "Wemb" : "encoder_Wemb");
  config.d_model = embedding.cols;
  if (settings.whole("dim-emb", embedding.cols) != embedding.cols) {
    settings.refuse("dim-emb", fmt::format("but its embeddings have {} numbers", embedding.cols));
  }
  config.d_ff = inner_width(file, "encoder_l1_ffn_W1", config.d_model);
  // With these the size of everything else follows from tensors that are in the file.
  inner_width(file, "encoder_l1_self_Wq", config.d_model, config.d_model);
  config.positions = Positions::halves;
  if (const MarianTensor* positions = file.find("Wpos")) {
    // Marian scales embeddings only where positions are computed.
    config.positions = Positions::learned;
    config.max_positions = positions->rows;
    config.embedding_scale = EmbeddingScale::one;
  }
  set_norm(settings, config);
  set_activation(settings, config);
  set_decoder(settings, config);
  set_tie(file, config);
  const std::string inner = fmt::format("decoder_l{}_ffn_W1", marian_decoder_layers(file)[0]);
  const Index width = inner_width(file, inner, config.d_model);
  if (width != config.d_ff) config.decoder_d_ff = width;
  config.start = StartFrom::zero;
  config.attention_bias = true;
  config.output_bias = true;  // also for ids that the model does not have
  try {
    check(config);
  } catch (const SettingError& error) {
    throw Error(fmt::format("'{}': {}; heed cannot use such a model", file.name, error.what()));
  }
  return config;
}

std::vector<Index> marian_decoder_layers(const MarianFile& file) {
  constexpr const char* key = "transformer-tied-layers";
  const YamlSettings settings = settings_of(file);
  const Index count = settings.whole("dec-depth", 1);
  // Tied layers are copied, so a few tensors could fill any memory.
  if (count < 1 || count > most_layers) {
    settings.refuse("dec-depth", fmt::format("heed imports at most {} layers", most_layers));
  }
  const std::vector<std::string> tied = settings.list(key);
  std::vector<Index> layers;
  for (const std::string& text : tied) {
    Index layer = 0;
    std::from_chars(text.data(), text.data() + text.size(), layer);
    if (layer < 1 || layer > count) settings.refuse(key, "these are not numbers of decoder layers");
    layers.push_back(layer);
  }
  if (!tied.empty() && static_cast<Index>(tied.size()) != count) settings.refuse(key, "dec-depth is another number");
  for (Index layer = 1; tied.empty() && layer <= count; ++layer) layers.push_back(layer);
  return layers;
}

std::string marian_version(const MarianFile& file) {
  const std::string version = settings_of(file).text("version");
  return version.empty() ? "Marian" : fmt::format("Marian {}", version.substr(0, version.find(' ')));
}

}  // namespace heed::interchange
