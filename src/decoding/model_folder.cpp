#include "decoding/model_folder.h"

#include <fmt/format.h>

#include "heed/error.h"

namespace heed {
namespace {

void check_vocabulary(const std::filesystem::path& folder, const char* side, Index pieces, Index vocabulary) {
  if (pieces == vocabulary) return;
  throw Error(
      fmt::format("'{}': the {} tokenizer has {} pieces, but the model a vocabulary of {}; put the tokenizer "
                  "that it was trained with back",
                  folder.string(), side, pieces, vocabulary));
}

}  // namespace

ModelFolder load_model_folder(const std::filesystem::path& folder, const std::string& checkpoint,
                              const Workspace& workspace) {
  ModelFolder loaded;
  loaded.info = read_info(folder);
  const std::filesystem::path weights = weights_file(folder, checkpoint);
  loaded.tokenizers = load_tokenizers(folder);
  check_vocabulary(folder, "source", loaded.tokenizers.source->size(), loaded.info.config.source_vocab);
  check_vocabulary(folder, "target", loaded.tokenizers.target->size(), loaded.info.config.target_vocab);
  auto model = std::make_unique<Transformer>(loaded.info.config, Purpose::inference);
  read_weights(weights, loaded.info.config, {{"", model->values()}}, Verify::structure);
  model->pack(workspace);
  loaded.model = std::move(model);
  return loaded;
}

}  // namespace heed
