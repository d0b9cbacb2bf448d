// heed model: describe lists every tensor, the total and the memory needed; quantize writes a model in 8-bit integers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "cli/commands.h"
#include "cli/model_flags.h"
#include "base/files.h"
#include "heed/error.h"
#include "model/files.h"
#include "model/memory.h"
#include "model/parameters.h"
#include "model/transformer.h"
#include "text/tokenizer_files.h"

namespace heed::cli {
namespace {

struct DescribeFlags {
  explicit DescribeFlags(CLI::App& command) : model(command) {
    command.add_option("--tokens", tokens, "Tokens of a batch, source and target each, for the memory")
        ->capture_default_str();
    command.add_flag("--json", json, "One JSON object instead of a table");
  }

  ModelFlags model;
  Index tokens = 2000;
  bool json = false;
};

nlohmann::ordered_json memory_json(const MemoryNeed& need) {
  return {{"parameters", need.parameters},
          {"optimiser", need.optimiser},
          {"packed_weights", need.packed},
          {"activations", need.activations},
          {"total", need.total()}};
}

void print_json(const Config& config, Index tokens) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const Tensor& t : list_tensors(config)) tensors.push_back({{"name", t.name}, {"shape", {t.rows, t.cols}}});
  const Index count = count_parameters(config);
  const nlohmann::ordered_json out{{"parameters", count},
                                   {"bytes", 4 * count},
                                   {"config", config_json(config)},
                                   {"batch_tokens", tokens},
                                   {"training_bytes", memory_json(training_memory(config, tokens, tokens))},
                                   {"inference_bytes", memory_json(inference_memory(config, tokens, tokens))},
                                   {"tensors", tensors}};
  fmt::print("{}\n", out.dump());
}

double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }

void print_need(const char* job, const MemoryNeed& need) {
  fmt::print("{:<10} {:>10.1f} MB = weights {:.1f} + packed {:.1f} + activations {:.1f}", job, megabytes(need.total()),
             megabytes(need.parameters), megabytes(need.packed), megabytes(need.activations));
  if (need.optimiser > 0) fmt::print(" + gradient and moments {:.1f}", megabytes(need.optimiser));
  fmt::print("\n");
}

void print_table(const Config& config, Index tokens) {
  const std::vector<Tensor> tensors = list_tensors(config);
  std::size_t widest = 0;
  for (const Tensor& t : tensors) widest = std::max(widest, t.name.size());
  for (const Tensor& t : tensors) {
    fmt::print("{:<{}}  {:>7} × {:<7} {:>13}\n", t.name, widest, t.rows, t.cols, with_commas(t.rows * t.cols));
  }
  const Index count = count_parameters(config);
  fmt::print("\n{} parameters in {} tensors, {:.1f} MB in f32\n", with_commas(count), tensors.size(),
             megabytes(static_cast<std::size_t>(4 * count)));
  fmt::print("Memory with batches of {} source and {} target tokens:\n", tokens, tokens);
  print_need("training", training_memory(config, tokens, tokens));
  print_need("inference", inference_memory(config, tokens, tokens));
}

struct QuantizeFlags {
  explicit QuantizeFlags(CLI::App& command) {
    command.add_option("-m,--model", model, "Folder of the model")->required();
    command.add_option("-o,--output", output, "Folder for the smaller one")->required();
    command.add_option("--checkpoint", checkpoint, "best, last or average [model.safetensors]");
  }

  std::string model, output, checkpoint;
};

void quantize_model(const QuantizeFlags& flags) {
  namespace fs = std::filesystem;
  const ModelInfo info = read_info(flags.model);
  const fs::path from = weights_file(flags.model, flags.checkpoint);
  const fs::path to = fs::path(flags.output) / "model.safetensors";
  const TokenizerPair tokenizers = load_tokenizers(flags.model);
  const Safetensors file(from);
  if (holds_int8(file)) throw Error(fmt::format("'{}' holds 8-bit integers already; use it as it is", from.string()));
  if (fs::exists(to)) throw Error(fmt::format("'{}' is there already; give another folder", to.string()));
  Transformer model(info.config, Purpose::inference);
  read_weights(file, info.config, {{"", model.values()}}, Verify::checksum);
  Int8Weights weights = quantize(info.config, model.values());
  make_folder(flags.output);
  save_tokenizers(tokenizers, flags.output);
  write_info(flags.output, info);
  write_int8_weights(to, info.config, weights);
  fmt::print("{}: {:.1f} MB where {} has {:.1f} MB\n", to.string(), megabytes(fs::file_size(to)), from.string(),
             megabytes(fs::file_size(from)));
}

}  // namespace

void add_model_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("model", "Look at models and make them smaller");
  command->require_subcommand(1);
  CLI::App* describe = command->add_subcommand("describe", "List every tensor, the total and the memory needed");
  const auto flags = std::make_shared<DescribeFlags>(*describe);
  describe->callback([flags] {
    const Config config = flags->model.config();
    if (flags->json) {
      print_json(config, flags->tokens);
    } else {
      print_table(config, flags->tokens);
    }
  });
  CLI::App* quantize = command->add_subcommand("quantize", "Write a model in 8-bit integers, a quarter of the size");
  const auto quantize_flags = std::make_shared<QuantizeFlags>(*quantize);
  quantize->callback([quantize_flags] { quantize_model(*quantize_flags); });
}

}  // namespace heed::cli
