// Everything that translation loads from a model folder.
#pragma once

#include <filesystem>
#include <memory>

#include "decoding/translation_model.h"
#include "heed/options.h"
#include "model/files.h"
#include "model/model_info.h"
#include "model/transformer.h"
#include "text/tokenizer_files.h"

namespace heed {

struct ModelFolder {
  ModelInfo info;
  TokenizerPair tokenizers;
  std::unique_ptr<const Transformer> model;    // ready for use
  std::unique_ptr<const Shortlist> shortlist;  // null: there is none
  std::unique_ptr<const StepModel> steps;      // as a search uses it
  std::vector<std::string> notes;              // what could not be verified
};

// Throws Error that names what is missing, damaged or mismatched.
ModelFolder load_model_folder(const std::filesystem::path& folder, const ModelOptions& options,
                              const Workspace& workspace);

// Several for an ensemble. Throws Error as well for options out of range and for models with different tokenizers.
std::vector<ModelFolder> load_model_folders(std::span<const std::filesystem::path> folders,
                                            const ModelOptions& options);
// Throws Error as well for a model of another task.
std::vector<ModelFolder> load_model_folders(std::span<const std::filesystem::path> folders, const ModelOptions& options,
                                            ModelTask task);

// The models as a search uses them; checked to form an ensemble.
std::vector<const StepModel*> step_models(const std::vector<ModelFolder>& folders);

// What could not be verified about any of them.
std::vector<std::string> all_notes(const std::vector<ModelFolder>& folders);

// The threads that the options ask for, at least one.
int threads_of(const ModelOptions& options);

// How the model is used unless the user says otherwise.
SearchOptions default_search(const ModelInfo& info);

// Only the weights.
std::unique_ptr<const Transformer> load_model(Safetensors file, const Config& config, const ModelOptions& options,
                                              const Workspace& workspace);

}  // namespace heed
