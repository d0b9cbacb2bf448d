// Models of other programs as heed's.
//
// Files are not trusted. Nothing is downloaded and nothing in a package is run. What heed cannot represent is refused
// with an Error that names the option; what does not change translations is told in notes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/int8_weights.h"
#include "model/model_info.h"
#include "model/shortlist.h"
#include "text/tokenizer_files.h"

namespace heed::interchange {

struct ImportOptions {
  // One file for both sides, or source and target; empty: those beside the model.
  std::vector<std::filesystem::path> vocabularies = {};
  std::vector<std::filesystem::path> sentencepieces = {};  // likewise, for vocabularies that are lists of tokens
  std::string source_language = {};
  std::string target_language = {};
  NumberType type = NumberType::stored;  // f32 also turns 8-bit integers into f32
};

struct ImportedModel {
  ModelInfo info;
  TokenizerPair tokenizers;
  std::vector<float> weights;            // of the layout of the config
  std::optional<Int8Integers> integers;  // if the model is to be one of 8-bit integers
  std::optional<Shortlist> shortlist = {};
  std::string found;  // what was recognised, in words
  std::vector<std::string> notes;
};

// A Marian model file (.npz or .bin), a folder or an archive that holds one with its vocabularies, or a folder of
// Hugging Face's MarianMT or of CTranslate2.
ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options);

// Writes a model folder that must not exist yet; it appears complete or not at all. Signals that end the program wait
// until then.
void write_imported(const std::filesystem::path& folder, ImportedModel& model);

}  // namespace heed::interchange
