#include "decoding/model_folder.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "base/check_range.h"
#include "base/figures.h"
#include "decoding/line_codec.h"
#include "decoding/search.h"
#include "heed/error.h"
#include "kernels/isa.h"
#include "model/binding.h"

namespace heed {
namespace {

constexpr int most_threads = 1024;
constexpr int most_batch = 65536;

void check_vocabulary(const std::filesystem::path& folder, const char* side, Index pieces, Index vocabulary) {
  if (pieces == vocabulary) return;
  throw Error(
      fmt::format("'{}': the {} tokenizer has {}, but the model has a vocabulary of {}; put back the tokenizer "
                  "that it was trained with",
                  folder.string(), side, counted(pieces, "piece"), vocabulary));
}

// NaN or infinity would spoil some translations and go unnoticed in others.
void check_finite(const std::filesystem::path& path, const Config& config, std::span<const float> values) {
  for (const Tensor& tensor : list_tensors(config)) {
    const auto numbers =
        values.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.rows * tensor.cols));
    // Without an early exit the compiler vectorises this loop.
    bool finite = true;
    for (const float number : numbers) finite &= std::isfinite(number);
    if (!finite) {
      throw Error(fmt::format("'{}': '{}' holds NaN or infinity; use another checkpoint", path.string(), tensor.name));
    }
  }
}

std::unique_ptr<Transformer> load_f32(const Safetensors& file, const Config& config, Verify verify) {
  auto model = std::make_unique<Transformer>(config, Purpose::inference);
  read_weights(file, layout_of(config), {{"", model->values()}}, verify);
  check_finite(file.path(), config, model->values());
  return model;
}

}  // namespace

std::unique_ptr<const Transformer> load_model(Safetensors file, const Config& config, const ModelOptions& options,
                                              const Workspace& workspace) {
  const Verify verify = options.verify ? Verify::checksum : Verify::structure;
  if (holds_int8(file)) {
    if (options.type == NumberType::f32) {
      throw Error(fmt::format("'{}' holds 8-bit integers; use --type int8, or the model that it was made from",
                              file.path().string()));
    }
    return std::make_unique<Transformer>(config, read_int8_weights(std::move(file), config, verify));
  }
  auto model = load_f32(file, config, verify);
  if (options.type == NumberType::int8) {
    return std::make_unique<Transformer>(config, quantize(config, model->values()));
  }
  model->pack(workspace);
  return model;
}

ModelFolder load_model_folder(const std::filesystem::path& folder, const ModelOptions& options,
                              const Workspace& workspace) {
  ModelFolder loaded;
  loaded.info = read_info(folder);
  Safetensors weights(weights_file(folder, options.checkpoint));
  loaded.tokenizers = load_tokenizers(folder);
  check_vocabulary(folder, "source", loaded.tokenizers.source->size(), loaded.info.config.source_vocab);
  check_vocabulary(folder, "target", loaded.tokenizers.target->size(), loaded.info.config.target_vocab);
  check_tokenizers(folder, loaded.tokenizers, weights.metadata());
  if (!weights.metadata().contains(shape_key)) {
    loaded.notes.push_back(
        fmt::format("'{}' was written by an older heed, without fingerprints: whether config.json and "
                    "tokenizer belong to it cannot be verified",
                    weights.path().string()));
  }
  loaded.model = load_model(std::move(weights), loaded.info.config, options, workspace);
  const Verify verify = options.verify ? Verify::checksum : Verify::structure;
  if (auto shortlist = read_shortlist(folder, loaded.info.config, tokenizer_facts(loaded.tokenizers), verify)) {
    loaded.shortlist = std::make_unique<const Shortlist>(std::move(*shortlist));
  }
  loaded.steps = std::make_unique<TranslationModel>(*loaded.model, loaded.shortlist.get());
  return loaded;
}

int threads_of(const ModelOptions& options) {
  check_range("threads", options.threads, 0, most_threads);
  return options.threads == 0 ? available_cores() : options.threads;
}

std::vector<ModelFolder> load_model_folders(std::span<const std::filesystem::path> folders,
                                            const ModelOptions& options) {
  check_range("batch", options.batch, 1, most_batch);
  check_range("max-source-length", options.max_source_length, 0, most_source_length);
  if (folders.empty()) throw Error("there is no model; pass a folder");
  static std::once_flag chosen;
  std::call_once(chosen, kernels::choose_isa);
  ThreadPool threads(threads_of(options));
  Arena arena;
  std::vector<ModelFolder> loaded;
  for (const std::filesystem::path& folder : folders) {
    loaded.push_back(load_model_folder(folder, options, {threads, arena}));
    if (!same_tokenizers(loaded.front().tokenizers, loaded.back().tokenizers)) {
      throw Error(fmt::format("'{}' and '{}' have different tokenizers; an ensemble needs the same vocabulary",
                              folders[0].string(), folder.string()));
    }
    if (loaded.front().info.source_end != loaded.back().info.source_end) {
      throw Error(fmt::format("'{}' and '{}' differ in source_end; an ensemble needs the same source sentences",
                              folders[0].string(), folder.string()));
    }
  }
  return loaded;
}

std::vector<ModelFolder> load_model_folders(std::span<const std::filesystem::path> folders, const ModelOptions& options,
                                            ModelTask task) {
  // Before the weights are loaded.
  for (const std::filesystem::path& folder : folders) {
    const ModelTask of_model = read_info(folder).task;
    if (of_model == task) continue;
    throw Error(fmt::format("'{}' is a model to {}, not to {}; use 'heed {}'", folder.string(), name_of(of_model),
                            name_of(task), name_of(of_model)));
  }
  return load_model_folders(folders, options);
}

std::vector<const StepModel*> step_models(const std::vector<ModelFolder>& folders) {
  std::vector<const StepModel*> models;
  for (const ModelFolder& folder : folders) models.push_back(folder.steps.get());
  check_models(models);
  return models;
}

std::vector<std::string> all_notes(const std::vector<ModelFolder>& folders) {
  std::vector<std::string> all;
  for (const ModelFolder& folder : folders) all.insert(all.end(), folder.notes.begin(), folder.notes.end());
  return all;
}

SearchOptions default_search(const ModelInfo& info) {
  return {.beam = info.beam, .alpha = info.alpha, .length_penalty = info.length_penalty};
}

}  // namespace heed
