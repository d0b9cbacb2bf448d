// heed's models for other programs.
//
// What the other program cannot express is refused with an Error that names the setting of heed's config; what changes
// its numbers slightly is told in the notes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/int8_weights.h"
#include "model/model_info.h"
#include "text/tokenizer_files.h"

namespace heed::interchange {

enum class ExportFormat { ctranslate2, huggingface };

struct ExportOptions {
  ExportFormat format = ExportFormat::ctranslate2;
  std::string checkpoint = {};           // as in weights_file()
  NumberType type = NumberType::stored;  // of the result
};

// A model in heed's layout.
struct ExportedModel {
  ModelInfo info;
  TokenizerPair tokenizers;
  std::vector<float> weights;
  std::optional<Int8Integers> integers;  // if the result is to hold 8-bit integers
  std::vector<std::string> notes;
};

// Reads a folder of heed's and writes one of the other program's, which must not exist yet. Returns the notes.
std::vector<std::string> export_model(const std::filesystem::path& from, const std::filesystem::path& to,
                                      const ExportOptions& options);

// Each writes into a folder that is there.
void write_ctranslate2(const std::filesystem::path& folder, ExportedModel& model);
void write_hugging_face(const std::filesystem::path& folder, ExportedModel& model);

// Throws Error that names a setting if the other program cannot express it.
void check_ctranslate2(const ModelInfo& info);
void check_hugging_face(const ModelInfo& info, const TokenizerPair& tokenizers);

// Whether ids mean the same pieces on both sides, even if text is split by different models.
bool same_pieces(const TokenizerPair& tokenizers);

// The rows of a table of computed positions, which is the longest sentence there.
constexpr Index exported_positions = 1024;

}  // namespace heed::interchange
