// heed model describe: every tensor, the total, and the memory that training and inference need.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/model_flags.h"
#include "model/files.h"
#include "model/memory.h"
#include "model/parameters.h"

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

std::string with_commas(Index value) {
  std::string digits = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
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

}  // namespace

void add_model_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("model", "Look at models");
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
}

}  // namespace heed::cli
