// All that translation needs of a model's folder.
#pragma once

#include <filesystem>
#include <memory>

#include "model/files.h"
#include "model/transformer.h"
#include "text/tokenizer_files.h"

namespace heed {

struct ModelFolder {
  ModelInfo info;
  TokenizerPair tokenizers;
  std::unique_ptr<const Transformer> model;  // packed
};

// `checkpoint` as in weights_file. Throws Error that names what is missing, damaged or does not belong together.
ModelFolder load_model_folder(const std::filesystem::path& folder, const std::string& checkpoint,
                              const Workspace& workspace);

}  // namespace heed
