// heed bench: measures kernels, translation, and training steps against the floor: the time of their matrix products.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

#include "base/figures.h"
#include "base/progress.h"
#include "bench/kernels.h"
#include "bench/train.h"
#include "bench/translate.h"
#include "cli/commands.h"
#include "cli/load_flags.h"
#include "cli/model_flags.h"
#include "heed/error.h"
#include "kernels/isa.h"

namespace heed::cli {
namespace {

struct BenchFlags {
  explicit BenchFlags(CLI::App& command) : model(command) {
    command.add_option("--tokens", tokens, "Target tokens per batch")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 24));
    command.add_option("--length", length, "Tokens per sentence on both sides")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 20));
    command.add_option("--threads", threads, "Number of threads")->capture_default_str()->check(CLI::Range(1, 1024));
    command.add_flag("--json", json, "Print one JSON object on standard output");
  }

  ModelFlags model;
  Index tokens = 2000;
  Index length = 25;
  int threads = available_cores();
  bool json = false;
};

struct TrainFlags : BenchFlags {
  explicit TrainFlags(CLI::App& command) : BenchFlags(command) {
    command.add_option("--lengths", lengths, "File with a source and a target length per line, instead of --length");
    command.add_option("--rounds", rounds, "Rounds that alternate training steps and floor")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
  }

  std::string lengths;
  int rounds = 5;
};

std::vector<std::pair<Index, Index>> read_lengths(const std::string& path, Index tokens) {
  std::ifstream file(path);
  if (!file) throw Error("lengths file '" + path + "': cannot read; pass a file with two numbers per line");
  std::vector<std::pair<Index, Index>> lengths;
  std::string line;
  for (Index number = 1; std::getline(file, line); ++number) {
    std::istringstream fields(line);
    Index source = 0;
    Index target = 0;
    std::string rest;
    if (!(fields >> source >> target) || fields >> rest || source < 1 || target < 1 || source > tokens ||
        target > tokens) {
      throw Error(
          fmt::format("lengths file '{}': line {} must be a source and a target length between 1 and --tokens {}", path,
                      number, tokens));
    }
    lengths.emplace_back(source, target);
  }
  if (lengths.empty()) throw Error("lengths file '" + path + "' is empty; pass a file with two numbers per line");
  return lengths;
}

void run_train(const TrainFlags& flags) {
  bench::TrainBench bench{flags.model.config(), flags.tokens, flags.length, {}, flags.threads, flags.rounds};
  if (!flags.lengths.empty()) bench.lengths = read_lengths(flags.lengths, flags.tokens);
  Progress progress("measuring", flags.rounds);
  const bench::TrainBenchResult r = bench::bench_train(bench, [&](int done) { progress.show(done); });
  nlohmann::ordered_json phases;
  for (std::size_t i = 0; i < phase_names.size(); ++i) phases[phase_names[i]] = r.phases[i];
  if (flags.json) {
    const nlohmann::ordered_json out{{"tokens_per_second", r.tokens_per_second},
                                     {"floor_tokens_per_second", r.floor_tokens_per_second},
                                     {"of_floor", r.of_floor},
                                     {"peak_mb", r.peak_mb},
                                     {"threads", flags.threads},
                                     {"isa", kernels::isa_name()},
                                     {"loss", r.loss},
                                     {"phases", phases}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{:.1f} target tokens/s on {} ({})\n", r.tokens_per_second, counted(flags.threads, "thread"),
             kernels::isa_name());
  fmt::print("{:.1f} target tokens/s with matrix products alone: {:.3f} of the floor\n", r.floor_tokens_per_second,
             r.of_floor);
  fmt::print("{:.0f} MB peak memory\n\nTime per step:\n", r.peak_mb);
  double total = 0.0;
  for (const double seconds : r.phases) total += seconds;
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    fmt::print("  {:<20} {:>9.2f} ms {:>6.1f} %\n", phase_names[i], 1e3 * r.phases[i], 100.0 * r.phases[i] / total);
  }
}

void run_kernels(const BenchFlags& flags) {
  const std::vector<bench::KernelFigure> figures =
      bench::bench_kernels(flags.model.config(), flags.tokens, flags.length, flags.threads);
  if (flags.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const bench::KernelFigure& f : figures) {
      rows.push_back({{"kernel", f.name}, {"heed", f.ours}, {"onednn", f.onednn}, {"unit", f.unit}});
    }
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"threads", flags.threads}, {"isa", kernels::isa_name()}, {"kernels", rows}}.dump());
    return;
  }
  fmt::print("{:<46} {:>8} {:>8}  on {} ({})\n", "", "heed", "oneDNN", counted(flags.threads, "thread"),
             kernels::isa_name());
  for (const bench::KernelFigure& f : figures) {
    fmt::print("{:<46} {:>8.1f} {:>8}  {}\n", f.name, f.ours, f.onednn > 0.0 ? fmt::format("{:.1f}", f.onednn) : "",
               f.unit);
  }
}

struct TranslateFlags {
  explicit TranslateFlags(CLI::App& command) : model(command) {
    const auto number = [&](const char* name, auto& value, const char* help, int most) {
      command.add_option(name, value, help)->capture_default_str()->check(CLI::Range(1, most));
    };
    number("--source-length", bench.source_length, "Tokens per source, including </s>", 1 << 16);
    number("--target-length", bench.target_length, "Tokens per translation, including </s>", 1 << 16);
    number("--batch", bench.model.batch, "Sentences per batch, with one batch per thread; 1: one sentence at a time",
           1 << 16);
    number("--beam", bench.search.beam, "Beam size; 1: greedy", SearchOptions::most_beam);
    number("--rounds", bench.rounds, "Number of rounds", 1000);
    command.add_option("--sentences", sentences, "Sentences per round [4 batches, at least 8]")
        ->check(CLI::Range(1, 1 << 24));
    add_type_flag(command, bench.model.type, "f32 or int8 [f32]");
    bench.model.threads = available_cores();
    number("--threads", bench.model.threads, "Number of threads", 1024);
    command.add_flag("--json", json, "Print one JSON object on standard output");
  }

  ModelFlags model;
  bench::TranslateBench bench;
  std::optional<Index> sentences;
  bool json = false;
};

void run_translate(const TranslateFlags& flags) {
  bench::TranslateBench bench = flags.bench;
  bench.config = flags.model.config();
  bench.sentences = flags.sentences.value_or(std::max(Index{8}, Index{4} * bench.model.batch));
  if (bench.target_length < 2)
    throw SettingError("target-length", "--target-length is 1, which is only </s>; choose 2 or more");
  Progress progress("measuring", bench.rounds);
  const bench::TranslateBenchResult r = bench::bench_translate(bench, [&](int done) { progress.show(done); });
  if (flags.json) {
    const nlohmann::ordered_json out{{"tokens_per_second", r.tokens_per_second},
                                     {"ms_per_sentence", r.ms_per_sentence},
                                     {"load_ms", r.load_ms},
                                     {"file_mb", r.file_mb},
                                     {"peak_mb", r.peak_mb},
                                     {"threads", bench.model.threads},
                                     {"isa", kernels::isa_name()}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{:.1f} tokens/s, {:.2f} ms/sentence, on {} ({})\n", r.tokens_per_second, r.ms_per_sentence,
             counted(bench.model.threads, "thread"), kernels::isa_name());
  fmt::print("{:.1f} ms to load a file of {:.1f} MB; {:.0f} MB peak memory\n", r.load_ms, r.file_mb, r.peak_mb);
}

}  // namespace

void add_bench_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("bench", "Measure speed on this machine");
  command->require_subcommand(1);

  CLI::App* kernels =
      command->add_subcommand("kernels", "Measure single kernels, with oneDNN's matrix products for comparison");
  const auto kernel_flags = std::make_shared<BenchFlags>(*kernels);
  kernels->callback([kernel_flags] { run_kernels(*kernel_flags); });

  CLI::App* train =
      command->add_subcommand("train", "Measure training steps against the floor of their matrix products");
  const auto train_flags = std::make_shared<TrainFlags>(*train);
  train->callback([train_flags] { run_train(*train_flags); });

  CLI::App* translate = command->add_subcommand("translate", "Measure translation with random weights at one length");
  const auto translate_flags = std::make_shared<TranslateFlags>(*translate);
  translate->callback([translate_flags] { run_translate(*translate_flags); });
}

}  // namespace heed::cli
