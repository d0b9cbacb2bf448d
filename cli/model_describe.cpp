// heed model describe: lists every tensor of a model, the total and the memory needed; for a trained model also its
// languages, tokenizers, training and checksum.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "base/json_fields.h"
#include "base/one_line.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/model_flags.h"
#include "model/files.h"
#include "model/int8_weights.h"
#include "model/memory_need.h"
#include "model/model_info.h"
#include "model/parameters.h"
#include "text/tokenizer_files.h"
#include "training/checkpoint.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct DescribeFlags {
  explicit DescribeFlags(CLI::App& command) : model(command) {
    command.add_option("-m,--model", folder, "Folder of a trained model; cannot be combined with shape flags");
    command.add_option("--checkpoint", checkpoint, "Weights to describe: best, last or average [model.safetensors]")
        ->needs("--model");
    command.add_option("--tokens", tokens, "Source and target tokens per batch, for the memory estimate")
        ->check(CLI::Range(Index{1}, Index{1} << 40))
        ->capture_default_str();
    command.add_flag("--json", json, "Print one JSON object instead of a table");
    for (CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->get_group() == "Model"; })) {
      option->excludes("--model");
    }
  }

  ModelFlags model;
  std::string folder, checkpoint;
  Index tokens = 2000;
  bool json = false;
};

Json memory_json(const MemoryNeed& need) {
  return {{"parameters", need.parameters},
          {"optimiser", need.optimiser},
          {"packed_weights", need.packed},
          {"activations", need.activations},
          {"total", need.total()}};
}

Json decoding_json(const Config& config, kernels::CacheType type) {
  const MixerMemory kept = decoding_memory(config, type);
  return {{"position", kept.past}, {"hypothesis", kept.state}};
}

Json shape_json(const Config& config, Index tokens) {
  Json tensors = Json::array();
  for (const Tensor& t : list_tensors(config)) tensors.push_back({{"name", t.name}, {"shape", {t.rows, t.cols}}});
  const Index count = count_parameters(config);
  return {{"parameters", count},
          {"bytes", 4 * count},
          {"config", config_json(config)},
          {"batch_tokens", tokens},
          {"training_bytes", memory_json(memory_need(config, tokens, tokens, Purpose::training))},
          {"inference_bytes", memory_json(memory_need(config, tokens, tokens, Purpose::inference))},
          {"decoding_bytes",
           {{"f32", decoding_json(config, kernels::CacheType::f32)},
            {"int8", decoding_json(config, kernels::CacheType::int8)}}},
          {"tensors", tensors}};
}

void print_need(const char* job, const MemoryNeed& need) {
  fmt::print("{:<10} {:>10.1f} MB = weights {:.1f} + packed {:.1f} + activations {:.1f}", job, megabytes(need.total()),
             megabytes(need.parameters), megabytes(need.packed), megabytes(need.activations));
  if (need.optimiser > 0) fmt::print(" + gradient and moments {:.1f}", megabytes(need.optimiser));
  fmt::print("\n");
}

void print_decoding(const Config& config, kernels::CacheType type, const char* numbers) {
  const MixerMemory kept = decoding_memory(config, type);
  fmt::print("Decoding cache in {}: {} bytes per position, {} per hypothesis\n", numbers, with_commas(kept.past),
             with_commas(kept.state));
}

void print_row(const char* name, const std::string& value) { fmt::print("{:<12} {}\n", name, value); }

void print_fields(const Config& config) {
  std::string fields;
  const Json all = config_json(config);
  for (const auto& [name, value] : all.items()) {
    fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", name,
                          value.is_string() ? value.get<std::string>() : value.dump());
  }
  print_row("shape", fields);
}

void print_shape(const Config& config, Index tokens) {
  const std::vector<Tensor> tensors = list_tensors(config);
  std::size_t widest = 0;
  for (const Tensor& t : tensors) widest = std::max(widest, t.name.size());
  for (const Tensor& t : tensors) {
    fmt::print("{:<{}}  {:>7} × {:<7} {:>13}\n", t.name, widest, t.rows, t.cols, with_commas(t.rows * t.cols));
  }
  const Index count = count_parameters(config);
  fmt::print("\n{} parameters in {} tensors, {:.1f} MB in f32\n", with_commas(count), tensors.size(),
             megabytes(static_cast<std::size_t>(4 * count)));
  fmt::print("Mixers: {} in the encoder, {} in the decoder\n", FieldText<MixerKinds>::text(config.encoder_mixer),
             FieldText<MixerKinds>::text(config.decoder_mixer));
  fmt::print("Memory for batches of {} source and {} target tokens:\n", tokens, tokens);
  print_need("training", memory_need(config, tokens, tokens, Purpose::training));
  print_need("inference", memory_need(config, tokens, tokens, Purpose::inference));
  print_decoding(config, kernels::CacheType::f32, "f32");
  print_decoding(config, kernels::CacheType::int8, "int8");
}

// Facts about a trained model besides its shape.
struct Trained {
  ModelInfo info;
  fs::path weights;
  std::size_t bytes = 0;
  std::string numbers;
  Metadata facts;
  TokenizerPair tokenizers;
  std::optional<RunState> progress;
};

Trained look_at(const DescribeFlags& flags) {
  Trained m;
  m.info = read_info(flags.folder);
  m.weights = weights_file(flags.folder, flags.checkpoint);
  Safetensors file(m.weights);
  m.bytes = fs::file_size(m.weights);
  m.numbers = holds_int8(file) ? "int8" : "f32";
  m.facts = file.metadata();
  if (holds_int8(file)) {
    read_int8_weights(std::move(file), m.info.config, Verify::structure);
  } else {
    check_weights(file, layout_of(m.info.config));
  }
  m.tokenizers = load_tokenizers(flags.folder);
  check_tokenizers(flags.folder, m.tokenizers, m.facts);
  const CheckpointFolder run(flags.folder, layout_of(m.info.config));
  if (run.exists()) m.progress = run.progress();
  return m;
}

Json tokenizer_json(const Tokenizer& t) { return {{"kind", name_of(t.kind())}, {"pieces", t.size()}}; }

void add_json(const Trained& m, Json& out) {
  out.update(write_fields(m.info));
  out["file"] = {{"name", m.weights.string()}, {"bytes", m.bytes}, {"numbers", m.numbers}, {"metadata", m.facts}};
  // Long entries that are shown under "training" instead.
  for (const char* part : {"fingerprint", "progress"}) out["file"]["metadata"].erase(part);
  out["source_tokenizer"] = tokenizer_json(*m.tokenizers.source);
  out["target_tokenizer"] = tokenizer_json(*m.tokenizers.target);
  if (!m.progress) return;
  out["training"] = {{"updates", m.progress->update},
                     {"epoch", m.progress->epoch()},
                     {"target_tokens", m.progress->tokens},
                     {"seconds", m.progress->seconds},
                     {"best", m.progress->best ? Json(*m.progress->best) : Json()},
                     {"best_update", m.progress->best_update},
                     {"judged_by", m.progress->judged_by},
                     {"ended", name_of(m.progress->ended)}};
}

std::string tokenizer_text(const TokenizerPair& t) {
  const auto one = [](const Tokenizer& x) { return fmt::format("{} with {} pieces", name_of(x.kind()), x.size()); };
  return t.shared() ? one(*t.source) + ", shared"
                    : fmt::format("{} for the source, {} for the target", one(*t.source), one(*t.target));
}

void print_training(const RunState& s) {
  print_row("training", fmt::format("{} updates, {} target tokens, epoch {}, {}{}", with_commas(s.update),
                                    with_commas(s.tokens), s.epoch(), clock_time(s.seconds),
                                    s.ended == End::not_yet ? "" : fmt::format(", ended by {}", name_of(s.ended))));
  if (!s.best) return;
  const std::string metric = s.judged_by.substr(0, s.judged_by.find(' '));
  print_row("best", fmt::format("{} {:.2f} at update {}", metric, std::abs(*s.best), with_commas(s.best_update)));
}

std::string origin_of(const Metadata& facts) {
  if (const auto found = facts.find("average_of_updates"); found != facts.end()) {
    return "average of the saves at updates " + one_line(found->second);
  }
  if (const auto found = facts.find("average_of"); found != facts.end()) {
    return fmt::format("average of {} files", one_line(found->second));
  }
  if (const auto found = facts.find("update"); found != facts.end()) {
    return "weights of update " + one_line(found->second);
  }
  return "";
}

void print_trained(const Trained& m) {
  print_row("model", fmt::format("'{}', {}, {:.1f} MB", m.weights.string(), m.numbers, megabytes(m.bytes)));
  if (const std::string origin = origin_of(m.facts); !origin.empty()) print_row("origin", origin);
  if (m.info.task == ModelTask::parse) print_row("task", fmt::format("parse, trees as {}", one_line(m.info.tree_form)));
  if (!m.info.origin.empty()) print_row("imported", m.info.origin);
  if (!m.info.licence.empty()) print_row("licence", m.info.licence);
  print_row("languages", fmt::format("{} → {}", m.info.source_language.empty() ? "?" : m.info.source_language,
                                     m.info.target_language.empty() ? "?" : m.info.target_language));
  print_row("tokenizer", tokenizer_text(m.tokenizers));
  if (m.progress) print_training(*m.progress);
  const auto checksum = m.facts.find("checksum");
  print_row("checksum", checksum == m.facts.end() ? "none" : one_line(checksum->second));
  print_row("search", fmt::format("beam {}, alpha {}, length penalty {}", m.info.beam, m.info.alpha,
                                  name_of(m.info.length_penalty)));
}

void describe(const DescribeFlags& flags) {
  std::optional<Trained> trained;
  if (!flags.folder.empty()) trained = look_at(flags);
  const Config config = trained ? trained->info.config : flags.model.config();
  if (!flags.json) {
    if (trained) print_trained(*trained);
    print_fields(config);
    fmt::print("\n");
    return print_shape(config, flags.tokens);
  }
  Json out = shape_json(config, flags.tokens);
  if (trained) add_json(*trained, out);
  fmt::print("{}\n", out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void add_model_describe_command(CLI::App& model) {
  CLI::App* command = model.add_subcommand("describe", "List every tensor, the total and the memory needed");
  const auto flags = std::make_shared<DescribeFlags>(*command);
  command->callback([flags] { describe(*flags); });
}

}  // namespace heed::cli
