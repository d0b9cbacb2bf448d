#include "interchange/ctranslate2.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_line.h"
#include "heed/error.h"
#include "interchange/ctranslate2_config.h"
#include "interchange/imported_tokenizers.h"
#include "interchange/position_table.h"
#include "interchange/stored_weights.h"
#include "text/sentencepiece_file.h"

namespace heed::interchange {
namespace {

constexpr const char* model_file = "model.bin";

class Import {
 public:
  Import(Package& package, const ImportOptions& options)
      : package_(package),
        options_(options),
        place_(package.place(model_file)),
        file_(read_ctranslate2_file(package.bytes(model_file), place_)),
        json_(settings_of("config.json")),
        reader_(file_, json_, place_) {}

  ImportedModel run() {
    Config& config = model_.info.config;
    config = reader_.config();
    find_embeddings();
    find_vocabularies();
    config.source_vocab = vocabularies_.orders.source.size();
    config.target_vocab = vocabularies_.orders.target.size();
    model_.tokenizers = vocabularies_.tokenizers;
    std::vector<std::string> ignored = reader_.used();
    ignored.insert(ignored.end(), ignored_.begin(), ignored_.end());
    StoredWeights weights = fill_weights({file_.variables, place_, ignored}, config, vocabularies_.orders, rows_,
                                         [&](const std::string& tensor) { return origin_of(tensor); });
    model_.weights = std::move(weights.values);
    const bool integers = weights.integers.has_value();
    if (options_.type == NumberType::int8 && !integers) {
      throw Error(
          fmt::format("'{}' holds no 8-bit integers; import it as it is, then run 'heed model quantize'", place_));
    }
    if (options_.type != NumberType::f32) model_.integers = std::move(weights.integers);
    set_facts();
    return std::move(model_);
  }

 private:
  JsonSettings settings_of(const char* file) {
    return package_.has(file) ? JsonSettings(package_.bytes(file), package_.place(file)) : JsonSettings();
  }
  const StoredTensor& need(const std::string& name) const {
    const auto found = file_.variables.find(name);
    if (found != file_.variables.end()) return found->second;
    throw Error(fmt::format("'{}': '{}' is missing; convert the model again", place_, name));
  }

  // Matrices that are one are aliases in newer files and copies in older ones.
  void find_embeddings() {
    const StoredTensor& source = need(reader_.source_embedding());
    const StoredTensor& target = need("decoder/embeddings/weight");
    const StoredTensor& output = need("decoder/projection/weight");
    rows_ = {source.rows(), target.rows(), same_vocabulary() && same_numbers(source, target)};
    const bool tied = same_numbers(target, output);
    if (rows_.shared) {
      model_.info.config.tie = tied ? Tie::all : Tie::embeddings;
      ignored_.emplace_back("decoder/embeddings/weight");
    } else {
      model_.info.config.tie = tied ? Tie::target : Tie::none;
    }
    if (tied) ignored_.emplace_back("decoder/projection/weight");
  }

  // The first of these files that the package has, in JSON or as lines.
  std::string vocabulary_name(const std::string& stem) const {
    for (const char* ending : {".json", ".txt"}) {
      if (package_.has(stem + ending)) return stem + ending;
    }
    return "";
  }

  SideFiles vocabulary_files() {
    if (!options_.vocabularies.empty()) return named_files(options_.vocabularies, "--vocab");
    if (const std::string both = vocabulary_name("shared_vocabulary"); !both.empty())
      return read_files(package_, {both});
    const std::string source = vocabulary_name("source_vocabulary"), target = vocabulary_name("target_vocabulary");
    if (source.empty() || target.empty()) {
      throw Error(
          fmt::format("'{}': its vocabularies are not beside model.bin; pass --vocab FILE, or --vocab SOURCE "
                      "TARGET",
                      package_.path()));
    }
    return read_files(package_, {source, target});
  }

  bool same_vocabulary() {
    vocabulary_files_ = vocabulary_files();
    return vocabulary_files_.size() == 1 || vocabulary_files_[0].bytes == vocabulary_files_[1].bytes;
  }

  // Argos' packages name theirs sentencepiece.model; others call it what they like.
  SideFiles pieces() {
    SideFiles found = sentencepiece_files(package_, options_);
    for (const char* name : {"sentencepiece.model", "spm.model", "tokenizer.model", "bpe.model"}) {
      if (!found.empty() || !package_.has(name)) continue;
      found = read_files(package_, {name});
      if (!is_safe_sentencepiece_file(found[0].bytes)) {
        throw Error(fmt::format("'{}': not a SentencePiece model; heed cannot split text by it: pass --spm FILE",
                                found[0].place));
      }
    }
    return found;
  }

  void find_vocabularies() {
    const Ctranslate2Settings settings = reader_.settings();
    if (settings.source_start) json_.refuse("add_source_bos", "heed's source sentences do not begin with <s>");
    model_.info.source_end = settings.source_end;
    const auto read = [&](const SideFile& file) { return read_token_list(file.bytes, settings.special, file.place); };
    const Vocabulary source = read(vocabulary_files_.front());
    const Vocabulary target = read(vocabulary_files_.back());
    VocabularyOrders orders;
    orders.target =
        heed_order(target, rows_.target, {start_row(settings, target), no_row}, vocabulary_files_.back().place);
    orders.source = rows_.shared ? orders.target
                                 : heed_order(source, rows_.source, {no_row, no_row}, vocabulary_files_.front().place);
    vocabularies_ = make_tokenizers(std::move(orders), rows_.shared, pieces(), vocabulary_files_.front().place);
    const auto& rows = vocabularies_.orders.target.rows;
    const bool all_produced = std::all_of(rows.begin(), rows.end(), [](const TokenRow& row) { return row.produced; });
    model_.info.config.output_bias = !all_produced || file_.variables.contains("decoder/projection/bias");
  }

  Index start_row(const Ctranslate2Settings& settings, const Vocabulary& target) const {
    if (model_.info.config.start == StartFrom::zero) return no_row;
    if (!settings.start) {
      throw Error(
          fmt::format("'{}': decoder_start_token is left to the caller, who would name a language; heed cannot "
                      "represent it",
                      package_.path()));
    }
    const auto found = std::find(target.tokens.begin(), target.tokens.end(), *settings.start);
    if (found == target.tokens.end()) {
      throw Error(fmt::format("'{}': decoder_start_token is '{}', which is not in the vocabulary", package_.path(),
                              one_line(*settings.start)));
    }
    return found - target.tokens.begin();
  }

  TensorOrigin origin_of(const std::string& tensor) const {
    const Ctranslate2Place place = ctranslate2_place(tensor);
    if (tensor == "embedding.weight" || tensor == "source_embedding.weight") {
      return {.name = reader_.source_embedding(), .use = TokenUse::embedding, .source = true};
    }
    if (tensor == "target_embedding.weight") return {.name = place.name, .use = TokenUse::embedding};
    if (tensor == "output.weight") return {.name = place.name, .use = TokenUse::output};
    if (tensor == "output.bias") return {.name = place.name, .use = TokenUse::output_bias, .optional = true};
    const Index width = model_.info.config.d_model;
    const bool stacked = place.parts > 1;
    return {.name = place.name,
            .first_row = place.part * width,
            .stacked_rows = stacked ? place.parts * width : 0,
            .optional = place.name.ends_with("/bias")};
  }

  void set_facts() {
    ModelInfo& info = model_.info;
    // CTranslate2's own default beam; scores are divided by the length to the power of 1.
    info.beam = 2;
    info.alpha = 1.0f;
    info.length_penalty = LengthPenalty::power;
    info.origin = fmt::format("CTranslate2, binary version {}", file_.version);
    const JsonSettings argos = settings_of("metadata.json");
    if (argos.has("from_code")) {
      info.source_language = one_line(argos.text("from_code"));
      info.target_language = one_line(argos.text("to_code"));
      info.origin = one_line(fmt::format("Argos package {}, {}", argos.text("package_version", "?"), info.origin));
      if (!argos.text("target_prefix").empty())
        argos.refuse("target_prefix", "heed's search starts with no such token");
    }
    if (!options_.source_language.empty()) info.source_language = options_.source_language;
    if (!options_.target_language.empty()) info.target_language = options_.target_language;
    model_.notes.insert(model_.notes.end(), vocabularies_.notes.begin(), vocabularies_.notes.end());
    if (package_.has("vmap.txt")) {
      model_.notes.emplace_back("vmap.txt is not used: every token of the vocabulary may be produced");
    }
    const Config& config = info.config;
    const auto table = file_.variables.find("encoder/position_encodings/encodings");
    if (table != file_.variables.end()) {
      if (const auto note = note_on_rounding(table->second, config)) model_.notes.push_back(*note);
    }
    const StoredForm form = need("encoder/layer_0/ffn/linear_0/weight").form;
    if (form == StoredForm::int16) model_.notes.emplace_back("its 16-bit integers become f32");
    model_.found = fmt::format("CTranslate2 model of binary version {}, {} + {} layers, d-model {}, {}", file_.version,
                               config.encoder_layers, config.decoder_layers, config.d_model, name_of(form));
  }

  Package& package_;
  const ImportOptions& options_;
  std::string place_;
  Ctranslate2File file_;
  JsonSettings json_;
  Ctranslate2Config reader_;
  ImportedModel model_;
  VocabularyRows rows_;
  SideFiles vocabulary_files_;
  ImportedVocabularies vocabularies_;
  std::vector<std::string> ignored_;
};

}  // namespace

bool is_ctranslate2(Package& package) {
  const bool chosen = package.main().empty() || package.main() == model_file || package.main() == "config.json";
  return chosen && package.has(model_file) && is_ctranslate2_file(package.bytes(model_file));
}

ImportedModel import_ctranslate2(Package& package, const ImportOptions& options) {
  return Import(package, options).run();
}

}  // namespace heed::interchange
