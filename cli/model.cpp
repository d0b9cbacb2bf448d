// heed model: average averages models or the saves of a run; quantize converts a model to int8.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "base/files.h"
#include "cli/commands.h"
#include "heed/error.h"
#include "model/files.h"
#include "model/model_info.h"
#include "model/shortlist.h"
#include "model/transformer.h"
#include "text/tokenizer_files.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

struct QuantizeFlags {
  explicit QuantizeFlags(CLI::App& command) {
    command.add_option("-m,--model", model, "Model folder")->required();
    command.add_option("-o,--output", output, "Folder for the int8 model")->required();
    command.add_option("--checkpoint", checkpoint, "Weights to use: best, last or average [model.safetensors]");
  }

  std::string model, output, checkpoint;
};

// The weights file of a new model folder; an existing model or run is never overwritten.
fs::path new_weights_file(const std::string& folder) {
  for (const char* name : {"model.safetensors", "config.json", "training"}) {
    const fs::path file = fs::path(folder) / name;
    if (fs::exists(file)) throw Error(fmt::format("'{}' already exists; choose another folder", file.string()));
  }
  return fs::path(folder) / "model.safetensors";
}

// Writes everything in a model folder except the weights; the shortlist is that of the folder `from`.
void make_model_folder(const std::string& folder, const std::string& from, const ModelInfo& info,
                       const TokenizerPair& tokenizers) {
  const WeightFacts facts = tokenizer_facts(tokenizers);
  const std::optional<Shortlist> shortlist = read_shortlist(from, info.config, facts, Verify::checksum);
  make_folder(folder);
  save_tokenizers(tokenizers, folder);
  write_info(folder, info);
  if (shortlist) write_shortlist(folder, *shortlist, facts);
}

void quantize_model(const QuantizeFlags& flags) {
  const ModelInfo info = read_info(flags.model);
  const fs::path from = weights_file(flags.model, flags.checkpoint);
  const TokenizerPair tokenizers = load_tokenizers(flags.model);
  const Safetensors file(from);
  if (holds_int8(file)) throw Error(fmt::format("'{}' already holds int8 weights; use it as it is", from.string()));
  check_tokenizers(flags.model, tokenizers, file.metadata());
  const fs::path to = new_weights_file(flags.output);
  Transformer model(info.config, Purpose::inference);
  read_weights(file, layout_of(info.config), {{"", model.values()}}, Verify::checksum);
  Int8Weights weights = quantize(info.config, model.values());
  make_model_folder(flags.output, flags.model, info, tokenizers);
  write_int8_weights(to, info.config, weights, tokenizer_facts(tokenizers));
  fmt::print("{}: {:.1f} MB instead of {:.1f} MB ({})\n", to.string(), megabytes(fs::file_size(to)),
             megabytes(fs::file_size(from)), from.string());
}

struct AverageFlags {
  explicit AverageFlags(CLI::App& command) {
    command.add_option("-m,--model", models, "Model folders, with the same shape and vocabulary")->required();
    command.add_option("-o,--output", output, "Folder for the average")->required();
    command.add_option("--checkpoint", checkpoint, "Weights to use: best, last or average [model.safetensors]");
    command.add_option("--saves", saves, "Average the last N saves of each run instead")
        ->check(CLI::Range(Index{1}, Index{1000000}))
        ->excludes("--checkpoint");
  }

  std::vector<std::string> models;
  std::string output, checkpoint;
  Index saves = 0;
};

void average_models(const AverageFlags& flags) {
  const ModelInfo info = read_info(flags.models[0]);
  const TokenizerPair tokenizers = load_tokenizers(flags.models[0]);
  std::vector<fs::path> files;
  for (const std::string& folder : flags.models) {
    const Config other = without_usual_head_widths(read_info(folder).config);
    if (const char* field = first_difference(without_usual_head_widths(info.config), other, Scope::shape)) {
      throw Error(fmt::format("'{}' and '{}' differ in {}; only models of the same shape can be averaged",
                              flags.models[0], folder, field));
    }
    if (!same_tokenizers(load_tokenizers(folder), tokenizers)) {
      throw Error(
          fmt::format("'{}' and '{}' have different tokenizers; only models with the same tokenizer can be averaged",
                      flags.models[0], folder));
    }
    const std::vector<fs::path> saves = newest_saves(folder, flags.saves);
    files.insert(files.end(), saves.begin(), saves.end());
    if (flags.saves == 0) files.push_back(weights_file(folder, flags.checkpoint));
    const Safetensors weights(files.back());
    if (holds_int8(weights)) {
      throw Error(
          fmt::format("'{}' holds int8 weights; average first, then run 'heed model quantize'", files.back().string()));
    }
    check_tokenizers(folder, tokenizers, weights.metadata());
  }
  const fs::path to = new_weights_file(flags.output);
  std::vector<float> weights = average_weights(files, layout_of(info.config), Verify::checksum);
  make_model_folder(flags.output, flags.models[0], info, tokenizers);
  WeightFacts facts = tokenizer_facts(tokenizers);
  facts["average_of"] = std::to_string(files.size());
  write_weights(to, layout_of(info.config), {{"", weights}}, facts);
  fmt::print("{}: average of\n", to.string());
  for (const fs::path& file : files) fmt::print("  {}\n", file.string());
}

}  // namespace

void add_model_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("model", "Describe, average, quantize, import and export models");
  command->require_subcommand(1);
  add_model_describe_command(*command);
  add_model_import_command(*command);
  add_model_export_command(*command);
  CLI::App* average = command->add_subcommand("average", "Average models, or the saves of a run");
  const auto average_flags = std::make_shared<AverageFlags>(*average);
  average->callback([average_flags] { average_models(*average_flags); });
  CLI::App* quantize = command->add_subcommand("quantize", "Convert a model to int8, a quarter of the size");
  const auto quantize_flags = std::make_shared<QuantizeFlags>(*quantize);
  quantize->callback([quantize_flags] { quantize_model(*quantize_flags); });
}

}  // namespace heed::cli
