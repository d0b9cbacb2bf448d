#include "interchange/hugging_face.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_line.h"
#include "heed/error.h"
#include "interchange/imported_tokenizers.h"
#include "interchange/position_table.h"
#include "interchange/pytorch_file.h"
#include "interchange/safetensors_bytes.h"
#include "interchange/stored_weights.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

constexpr const char* config_file = "config.json";
constexpr const char* weight_files[] = {"model.safetensors", "pytorch_model.bin"};

JsonSettings settings_of(Package& package, const char* file) {
  return package.has(file) ? JsonSettings(package.bytes(file), package.place(file)) : JsonSettings();
}

// The weights of a package, and what they point into.
struct Weights {
  std::string place;
  PytorchFile file;
};

Weights read_weights_of(Package& package) {
  for (const char* file : weight_files) {
    const bool chosen = package.main().empty() || package.main() == config_file || package.main() == file;
    if (!chosen || !package.has(file)) continue;
    const std::string_view bytes = package.bytes(file);
    Weights weights{package.place(file), {}};
    if (is_safetensors(bytes)) {
      weights.file.tensors = read_safetensors(bytes, weights.place);
    } else {
      weights.file = read_pytorch(bytes, weights.place);
    }
    return weights;
  }
  for (const char* file : {"model.safetensors.index.json", "pytorch_model.bin.index.json"}) {
    if (package.has(file)) {
      throw Error(fmt::format("'{}': its weights are split into several files; save it as one", package.place(file)));
    }
  }
  throw Error(fmt::format("'{}': there is no model.safetensors and no pytorch_model.bin in it", package.path()));
}

// README.md begins with settings between lines of dashes, among them the licence.
std::string licence_of(Package& package) {
  if (!package.has("README.md")) return "";
  const std::string_view text = package.bytes("README.md");
  if (!text.starts_with("---")) return "";
  const std::string_view head = text.substr(0, text.find("\n---", 3));
  constexpr std::string_view key = "\nlicense: ";
  const std::size_t at = head.find(key);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = head.substr(at + key.size());
  const std::string_view licence = rest.substr(0, rest.find_first_of("\r\n"));
  return find_invalid_utf8(licence) ? "" : one_line(licence);
}

class Import {
 public:
  Import(Package& package, const ImportOptions& options)
      : package_(package),
        options_(options),
        settings_{settings_of(package, config_file), settings_of(package, "generation_config.json"),
                  settings_of(package, "tokenizer_config.json")} {}

  ImportedModel run() {
    Config& config = model_.info.config;
    config = hugging_face_config(settings_.config);
    if (options_.type == NumberType::int8) {
      throw Error(fmt::format("'{}' holds no 8-bit integers; import it as it is, then run 'heed model quantize'",
                              package_.path()));
    }
    weights_ = read_weights_of(package_);
    find_embeddings();
    find_positions();
    find_vocabularies();
    set_biases();
    config.source_vocab = vocabularies_.orders.source.size();
    config.target_vocab = vocabularies_.orders.target.size();
    model_.tokenizers = vocabularies_.tokenizers;
    model_.weights = fill_weights({weights_.file.tensors, weights_.place, ignored_}, config, vocabularies_.orders,
                                  rows_, [&](const std::string& tensor) { return origin_of(tensor); })
                         .values;
    set_facts();
    return std::move(model_);
  }

 private:
  const StoredTensor* find(const std::string& name) const {
    const auto found = weights_.file.tensors.find(name);
    return found == weights_.file.tensors.end() ? nullptr : &found->second;
  }
  const StoredTensor& need(const std::string& name) const {
    if (const StoredTensor* found = find(name)) return *found;
    throw Error(fmt::format("'{}': tensor '{}' is missing; fetch it again", weights_.place, name));
  }

  // Of tensors that are one, files list any or all; where they list several, these must be equal.
  std::string one_of(std::initializer_list<const char*> names, const char* setting) {
    std::string kept;
    for (const char* name : names) {
      if (find(name) == nullptr) continue;
      if (kept.empty()) {
        kept = name;
      } else if (same_numbers(*find(kept), *find(name))) {
        ignored_.emplace_back(name);
      } else {
        settings_.config.refuse(setting, fmt::format("but '{}' and '{}' differ", kept, name));
      }
    }
    if (kept.empty()) need(*names.begin());
    return kept;
  }

  void find_embeddings() {
    constexpr const char *shared = "model.shared.weight", *encoder = "model.encoder.embed_tokens.weight",
                         *decoder = "model.decoder.embed_tokens.weight", *output = "lm_head.weight";
    constexpr const char* tied = "tie_word_embeddings";
    switch (model_.info.config.tie) {
      case Tie::all: source_ = target_ = one_of({shared, encoder, decoder, output}, tied); break;
      case Tie::embeddings: find_untied(shared, encoder, decoder); break;
      case Tie::target:
        source_ = encoder;
        target_ = one_of({decoder, output}, tied);
        break;
      case Tie::none:
        source_ = encoder;
        target_ = decoder;
        break;
    }
    rows_ = {need(source_).rows(), need(target_).rows(), source_ == target_};
    check_size("vocab_size", rows_.source);
    if (settings_.config.has("decoder_vocab_size")) check_size("decoder_vocab_size", rows_.target);
  }

  // Without tie_word_embeddings, versions before 5 share the embeddings all the same; later ones keep one for each
  // stack and write the shared one without reading it.
  void find_untied(const char* shared, const char* encoder, const char* decoder) {
    const bool own = find(encoder) != nullptr && find(decoder) != nullptr;
    source_ = own ? encoder : shared;
    target_ = own && !same_numbers(need(encoder), need(decoder)) ? decoder : source_;
    if (source_ != target_) model_.info.config.tie = Tie::none;
    for (const char* name : {shared, encoder, decoder}) {
      if (name != source_ && name != target_) ignored_.emplace_back(name);
    }
  }

  void check_size(const char* key, Index rows) const {
    if (settings_.config.whole(key, rows) != rows) {
      settings_.config.refuse(key, fmt::format("but the embeddings have {} rows", rows));
    }
  }

  // Hugging Face uses the tables of a file where there are some.
  void find_positions() {
    Config& config = model_.info.config;
    const std::string names[] = {hugging_face_name("source_positions.weight"),
                                 hugging_face_name("target_positions.weight")};
    if (find(names[0]) == nullptr && find(names[1]) == nullptr) return;
    const PositionKind kind = recognise_positions(need(names[0]));
    if (recognise_positions(need(names[1])) != kind || need(names[1]).rows() != need(names[0]).rows()) {
      throw Error(
          fmt::format("'{}': embed_positions of encoder and decoder differ in kind or size, which heed cannot "
                      "represent",
                      weights_.place));
    }
    config.positions = kind.positions;
    config.position_start = kind.start;
    if (kind.positions == Positions::learned) {
      config.max_positions = need(names[0]).rows();
    } else {
      ignored_.insert(ignored_.end(), std::begin(names), std::end(names));
      if (const auto note = note_on_rounding(need(names[0]), config)) model_.notes.push_back(*note);
    }
  }

  bool row_is_zero(const StoredTensor& tensor, Index row) const {
    for (Index col = 0; col < tensor.cols(); ++col) {
      if (tensor.number(row * tensor.cols() + col) != 0.0f) return false;
    }
    return true;
  }

  static Index find_token(const Vocabulary& vocabulary, std::string_view token) {
    const auto found = std::find(vocabulary.tokens.begin(), vocabulary.tokens.end(), token);
    return found == vocabulary.tokens.end() ? no_row : found - vocabulary.tokens.begin();
  }

  SideFiles vocabulary_files() {
    if (!options_.vocabularies.empty()) return named_files(options_.vocabularies, "--vocab");
    const bool separate = settings_.tokenizer.truth("separate_vocabs", false);
    for (const char* file : {"vocab.json", "target_vocab.json"}) {
      if (package_.has(file) || (file == std::string_view("target_vocab.json") && !separate)) continue;
      throw Error(fmt::format("'{}': there is no {} in it; pass --vocab FILE", package_.path(), file));
    }
    return read_files(package_, separate ? std::vector<std::string>{"vocab.json", "target_vocab.json"}
                                         : std::vector<std::string>{"vocab.json"});
  }

  void find_vocabularies() {
    const SideFiles files = vocabulary_files();
    const Vocabulary source = read_vocabulary(files.front().bytes, files.front().place);
    const Vocabulary target = files.size() == 1 ? source : read_vocabulary(files.back().bytes, files.back().place);
    if (rows_.shared && source.tokens != target.tokens) {
      throw Error(fmt::format("'{}' and '{}' differ, but share_encoder_decoder_embeddings makes one matrix of both",
                              files.front().place, files.back().place));
    }
    const JsonSettings& config = settings_.config;
    if (config.whole("eos_token_id", 0) != target.end) config.refuse("eos_token_id", "but </s> has another id");
    const SpecialRows special{start_row(target), find_token(target, "<pad>")};
    check_bad_words(special.padding);
    VocabularyOrders orders;
    orders.target = heed_order(target, rows_.target, special, files.back().place);
    orders.source = rows_.shared
                        ? orders.target
                        : heed_order(source, rows_.source, {no_row, find_token(source, "<pad>")}, files.front().place);
    SideFiles pieces = sentencepiece_files(package_, options_);
    if (pieces.empty()) {
      throw Error(
          fmt::format("'{}': there are no source.spm and target.spm in it; pass --spm SOURCE TARGET", package_.path()));
    }
    vocabularies_ = make_tokenizers(std::move(orders), rows_.shared, pieces, files.front().place);
  }

  // A row of zeros is the usual start: <pad>, which Marian's models do not have.
  Index start_row(const Vocabulary& target) {
    const Index padding = settings_.config.whole("pad_token_id", rows_.target - 1);
    const Index row = settings_.config.whole("decoder_start_token_id", padding);
    constexpr const char* key = "decoder_start_token_id";
    if (row < 0 || row >= rows_.target) settings_.config.refuse(key, "but there is no such row in the embeddings");
    if (settings_.generation.whole(key, row) != row) settings_.generation.refuse(key, "but config.json has another");
    const bool zero = row_is_zero(need(target_), row);
    model_.info.config.start = zero ? StartFrom::zero : StartFrom::token;
    return zero && row != target.start ? no_row : row;
  }

  // Only <pad>, which heed leaves out.
  void check_bad_words(Index padding) const {
    constexpr const char* key = "bad_words_ids";
    const JsonSettings& settings = settings_.search(key);
    if (!settings.has(key)) return;
    const nlohmann::json expected = nlohmann::json::array({nlohmann::json::array({padding})});
    if (settings.value(key) != expected && settings.value(key) != nlohmann::json::array()) {
      settings.refuse(key, "heed can leave out <pad> alone");
    }
  }

  // Biases that are all zero are none, so that a model of heed's without them comes back as it was.
  void set_biases() {
    Config& config = model_.info.config;
    std::vector<std::string> attention;
    for (const auto& [name, tensor] : weights_.file.tensors) {
      if (name.ends_with("_proj.bias")) attention.push_back(name);
    }
    config.attention_bias = !std::all_of(attention.begin(), attention.end(), [&](auto& name) { return is_zero(name); });
    if (!config.attention_bias) ignored_.insert(ignored_.end(), attention.begin(), attention.end());
    const std::string bias = hugging_face_name("output.bias");
    const auto& rows = vocabularies_.orders.target.rows;
    const bool all_produced = std::all_of(rows.begin(), rows.end(), [](const TokenRow& row) { return row.produced; });
    config.output_bias = !all_produced || (find(bias) != nullptr && !is_zero(bias));
    if (!config.output_bias) ignored_.push_back(bias);
  }

  bool is_zero(const std::string& name) const {
    const StoredTensor& tensor = need(name);
    for (Index i = 0; i < tensor.size(); ++i) {
      if (tensor.number(i) != 0.0f) return false;
    }
    return true;
  }

  TensorOrigin origin_of(const std::string& tensor) const {
    if (tensor == "embedding.weight" || tensor == "source_embedding.weight") {
      return {.name = source_, .use = TokenUse::embedding, .source = true};
    }
    if (tensor == "target_embedding.weight") return {.name = target_, .use = TokenUse::embedding};
    const std::string name = hugging_face_name(tensor);
    if (tensor == "output.weight") return {.name = name, .use = TokenUse::output};
    if (tensor == "output.bias") return {.name = name, .use = TokenUse::output_bias, .optional = true};
    return {.name = name};
  }

  void set_facts() {
    ModelInfo& info = model_.info;
    set_hugging_face_search(settings_, model_);
    info.source_language = one_line(settings_.tokenizer.text("source_lang"));
    info.target_language = one_line(settings_.tokenizer.text("target_lang"));
    if (!options_.source_language.empty()) info.source_language = options_.source_language;
    if (!options_.target_language.empty()) info.target_language = options_.target_language;
    info.origin = one_line(fmt::format("Hugging Face MarianMT {}", settings_.config.text("_name_or_path")));
    if (info.origin.ends_with(' ')) info.origin.pop_back();
    info.licence = licence_of(package_);
    model_.notes.insert(model_.notes.end(), vocabularies_.notes.begin(), vocabularies_.notes.end());
    const Config& config = info.config;
    model_.found = fmt::format("Hugging Face MarianMT model, {} + {} layers, d-model {}, {}", config.encoder_layers,
                               config.decoder_layers, config.d_model, name_of(need(source_).form));
  }

  Package& package_;
  const ImportOptions& options_;
  HuggingFaceSettings settings_;
  Weights weights_;
  ImportedModel model_;
  std::string source_, target_;  // names of the embeddings
  VocabularyRows rows_;
  ImportedVocabularies vocabularies_;
  std::vector<std::string> ignored_;
};

}  // namespace

bool is_hugging_face(Package& package) {
  if (!package.has(config_file)) return false;
  const std::string& main = package.main();
  const bool chosen = main.empty() || main == config_file || main == weight_files[0] || main == weight_files[1];
  const bool weights = package.has(weight_files[0]) || package.has(weight_files[1]);
  return chosen && (weights || package.bytes(config_file).find("\"model_type\"") != std::string_view::npos);
}

ImportedModel import_hugging_face(Package& package, const ImportOptions& options) {
  return Import(package, options).run();
}

}  // namespace heed::interchange
