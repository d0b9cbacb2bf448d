#include "interchange/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figures.h"
#include "heed/error.h"
#include "interchange/ctranslate2.h"
#include "interchange/hugging_face.h"
#include "interchange/imported_tokenizers.h"
#include "interchange/marian_model.h"
#include "interchange/marian_shortlist.h"
#include "interchange/package.h"
#include "interchange/shown.h"
#include "interchange/yaml_settings.h"
#include "text/utf8.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string file_of(const std::string& path) { return fs::path(path).filename().string(); }

// Settings of the decoder that may belong to the model, best first: FILE.decoder.yml, decoder.yml, or the only others
// of their kind.
std::vector<std::string> settings_candidates(const Package& package) {
  std::vector<std::string> candidates;
  if (!package.main().empty()) candidates.push_back(package.main() + ".decoder.yml");
  candidates.emplace_back("decoder.yml");
  std::erase_if(candidates, [&](const std::string& name) { return !package.has(name); });
  if (!candidates.empty()) return candidates;
  for (const std::string& name : package.names()) {
    const bool of_decoder = name.ends_with(".decoder.yml") || (name.starts_with("config.") && name.ends_with(".yml"));
    if (of_decoder) candidates.push_back(name);
  }
  if (candidates.size() != 1) candidates.clear();
  return candidates;
}

// The settings that Marian's decoder is started with; empty ones if there are none for this model.
YamlSettings decoder_settings(Package& package) {
  for (const std::string& name : settings_candidates(package)) {
    YamlSettings settings(std::string(package.bytes(name)), package.place(name));
    const std::vector<std::string> models = settings.list("models");
    const bool of_this = std::any_of(models.begin(), models.end(),
                                     [&](const std::string& path) { return file_of(path) == package.main(); });
    // Beside a single file there may be those of another model.
    if (package.main().empty() || models.empty() || of_this) return settings;
  }
  return {};
}

// Whether a file may be a model, by its name and first bytes; nothing else of it is read.
bool may_be_model(Package& package, const std::string& name) {
  if (name.ends_with(".npz")) return !contains(name, ".optimizer.") && is_zip(package.bytes(name));
  return name.ends_with(".bin") && is_marian_bin(package.bytes(name));
}

std::string model_name(Package& package, const YamlSettings& decoder) {
  if (!package.main().empty()) return package.main();
  const std::vector<std::string> named = decoder.list("models");
  if (named.size() > 1) {
    throw Error(fmt::format("'{}': its settings name {} models, an ensemble; pass one of the files", package.path(),
                            named.size()));
  }
  if (named.size() == 1 && package.has(file_of(named[0]))) return file_of(named[0]);
  std::vector<std::string> models;
  for (const std::string& name : package.names()) {
    if (may_be_model(package, name)) models.push_back(name);
  }
  if (models.empty()) {
    throw Error(
        fmt::format("'{}': there is no Marian model (.npz or .bin) in it, and none of Hugging Face's or CTranslate2's",
                    package.path()));
  }
  if (models.size() > 1) {
    throw Error(fmt::format("'{}': there are {} models in it; pass one of {}", package.path(), models.size(),
                            shown(fmt::format("{}", fmt::join(models, ", ")))));
  }
  return models[0];
}

MarianFile read_model(Package& package, const std::string& name) {
  const std::string_view bytes = package.bytes(name);
  const std::string place = package.place(name);
  if (is_zip(bytes)) {
    std::vector<ArchiveFile> files = read_archive(bytes, place);
    if (!is_marian_npz(files)) {
      throw Error(fmt::format("'{}': there is no special:model.yml in it, so it is not a Marian model", place));
    }
    return read_marian_npz(std::move(files), place);
  }
  if (is_marian_bin(bytes)) return read_marian_bin(bytes, place);
  throw Error(fmt::format(
      "'{}': not a model that heed knows; pass a Marian model (.npz or .bin), or a folder of Hugging Face's "
      "MarianMT or of CTranslate2",
      place));
}

// Marian divides a score by the length to the power of 'normalize'.
void set_search(const YamlSettings& decoder, bool integers, ImportedModel& model) {
  constexpr const char* longest = "max-length-break";
  // Students in 8-bit integers are made for greedy search on single sentences; these are Bergamot's defaults.
  model.info.beam = integers ? 1 : SearchOptions().beam;
  model.info.alpha = integers ? 1.0f : SearchOptions().alpha;
  model.info.max_source_length = decoder.whole(longest, integers ? 128 : 0);
  if (model.info.max_source_length < 0 || model.info.max_source_length > Config::largest_size) {
    decoder.refuse(longest, "this is not a length");
  }
  model.info.length_penalty = LengthPenalty::power;
  if (decoder.has("beam-size")) {
    const Index beam = decoder.whole("beam-size", 1);
    if (beam < 1 || beam > SearchOptions::most_beam) decoder.refuse("beam-size", "this is not a beam");
    model.info.beam = static_cast<int>(beam);
  }
  if (decoder.has("normalize")) {
    const std::string text = decoder.text("normalize");
    const bool plain = text == "true" || text == "false";
    model.info.alpha = plain ? static_cast<float>(text == "true") : decoder.number("normalize", 0.0f);
    if (!(model.info.alpha >= 0.0f && model.info.alpha <= 100.0f)) decoder.refuse("normalize", "this is not a power");
  }
  if (decoder.number("word-penalty", 0.0f) != 0.0f) {
    model.notes.push_back(
        fmt::format("word-penalty {} of its settings is not used: heed has none", shown(decoder.text("word-penalty"))));
  }
}

// model.enpt.intgemm.alphas.bin: packages of Firefox and Bergamot name their languages so.
void languages_of_name(const std::string& name, ModelInfo& info) {
  constexpr std::string_view first = "model.";
  if (!name.starts_with(first)) return;
  const std::string pair = name.substr(first.size(), name.find('.', first.size()) - first.size());
  const bool letters = std::all_of(pair.begin(), pair.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (pair.size() != 4 || !letters) return;
  info.source_language = pair.substr(0, 2);
  info.target_language = pair.substr(2);
}

// The first line of the licence that comes with a package.
std::string licence_of(Package& package) {
  for (const char* name : {"LICENSE", "LICENSE.txt", "LICENCE"}) {
    if (!package.main().empty() || !package.has(name)) continue;
    std::string_view text = package.bytes(name);
    text.remove_prefix(std::min(text.find_first_not_of(" \r\n\t"), text.size()));
    const std::string line(text.substr(0, text.find_first_of("\r\n")));
    if (!line.empty() && !find_invalid_utf8(line)) return shown(line);
  }
  return "";
}

void add_notes(const Package& package, const YamlSettings& decoder, ImportedModel& model) {
  if (const std::vector<std::string> named = decoder.list("shortlist"); !named.empty() && !model.shortlist) {
    model.notes.push_back(fmt::format(
        "the lexical shortlist '{}' of its settings is not there: every token may be produced", shown(named[0])));
  }
  if (package.has("preprocess.sh") && package.main().empty()) {
    model.notes.emplace_back("preprocess.sh is not run: normalise text beforehand where it matters");
  }
}

std::string describe(const MarianFile& file, const Config& config, bool integers) {
  return fmt::format("{} model, {} + {} layers, d-model {}, {} decoder, {}", marian_version(file),
                     config.encoder_layers, config.decoder_layers, config.d_model,
                     FieldText<MixerKinds>::text(config.decoder_mixer), integers ? "int8" : "f32");
}

ImportedModel import_marian(Package& package, const ImportOptions& options) {
  const YamlSettings decoder = decoder_settings(package);
  const std::string name = model_name(package, decoder);
  const MarianFile file = read_model(package, name);
  ImportedModel model;
  ModelInfo& info = model.info;
  info.config = marian_config(file);
  ImportedVocabularies vocabularies =
      import_vocabularies(package, options, decoder.list("vocabs"), vocabulary_rows(file));
  info.config.source_vocab = vocabularies.orders.source.size();
  info.config.target_vocab = vocabularies.orders.target.size();
  model.tokenizers = vocabularies.tokenizers;
  MarianWeights weights = marian_weights(file, info.config, vocabularies.orders);
  const bool integers = weights.integers.has_value();
  if (options.type == NumberType::int8 && !integers) {
    throw Error(fmt::format("'{}' holds f32; import it as it is, then run 'heed model quantize'", file.name));
  }
  model.weights = std::move(weights.values);
  if (options.type != NumberType::f32) model.integers = std::move(weights.integers);
  languages_of_name(name, info);
  if (!options.source_language.empty()) info.source_language = options.source_language;
  if (!options.target_language.empty()) info.target_language = options.target_language;
  info.origin = shown(fmt::format("{}, {}", marian_version(file), name));
  info.licence = licence_of(package);
  set_search(decoder, integers, model);
  model.shortlist = import_shortlist(package, decoder, vocabularies.orders);
  add_notes(package, decoder, model);
  model.notes.insert(model.notes.end(), vocabularies.notes.begin(), vocabularies.notes.end());
  model.found = describe(file, info.config, model.integers.has_value());
  if (model.shortlist) model.found += ", lexical shortlist";
  return model;
}

}  // namespace

ImportedModel import_model(const fs::path& path, const ImportOptions& options) {
  Package package(path);
  if (is_ctranslate2(package)) return import_ctranslate2(package, options);
  if (is_hugging_face(package)) return import_hugging_face(package, options);
  return import_marian(package, options);
}

}  // namespace heed::interchange
