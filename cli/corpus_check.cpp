// heed corpus check: finds problems in a parallel corpus, estimates training time, and writes a cleaned copy.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/model_flags.h"
#include "cli/training_estimate.h"
#include "corpus_check/check_report.h"
#include "corpus_check/fix.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

using namespace corpus_check;

struct CheckFlags {
  explicit CheckFlags(CLI::App& command) : model(command, "tiny") {
    command
        .add_option("files", files, "Source and target files with aligned lines, or one TSV file; plain, .gz or .zst")
        ->required()
        ->expected(1, 2)
        ->option_text("SOURCE TARGET | TSV");
    command.add_option("--source-language", source_language, "Source language code [from the file extension]");
    command.add_option("--target-language", target_language, "Target language code [from the file extension]");
    CLI::Option* folder = command.add_option("--model", model_folder, "Count tokens with the tokenizers of this model");
    command.add_option("--tokenizer", tokenizer, "Count tokens on both sides with this tokenizer")->excludes(folder);
    command.add_option("--fix", fix, "Write the corpus without bad pairs to this folder");
    command.add_option("--examples", examples, "Examples per finding")
        ->capture_default_str()
        ->check(CLI::Range(0, 1000));
    command.add_option("--max-length", max_length, "Maximum number of tokens per line in training")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 20));
    command.add_option("--max-ratio", max_ratio, "Maximum ratio of the longer side to the shorter, in tokens")
        ->capture_default_str()
        ->check(CLI::Range(1.0, 1e6));
    command.add_option("--batch-tokens", batch_tokens, "Target tokens per batch, for the estimate")
        ->capture_default_str()
        ->check(CLI::Range(1, 1 << 24));
    command.add_option("--threads", threads, "Number of threads")->capture_default_str()->check(CLI::Range(1, 1024));
    command.add_flag("--no-estimate", no_estimate, "Do not estimate the time per epoch from a few training updates");
    command.add_flag("--json", json, "Print one JSON object on standard output");
  }

  ModelFlags model;
  std::vector<std::string> files;
  std::string source_language, target_language;
  std::string model_folder, tokenizer, fix;
  int examples = 3;
  Index max_length = 256;
  double max_ratio = 9.0;
  Index batch_tokens = 2000;
  int threads = available_cores();
  bool no_estimate = false;
  bool json = false;
};

// The cost of an epoch; without a measurement only the number of batches is known.
struct EpochCost {
  Index batches = 0;
  std::optional<TrainingEstimate> measured;
  std::string failure;  // why it could not be measured

  double seconds(Index tokens) const { return static_cast<double>(tokens) / measured->tokens_per_second; }
};

TokenizerPair tokenizers_of(const CheckFlags& flags) {
  if (!flags.model_folder.empty()) return load_tokenizers(flags.model_folder);
  if (flags.tokenizer.empty()) return {};
  const std::shared_ptr<const Tokenizer> both = read_tokenizer(read_file(flags.tokenizer), flags.tokenizer);
  return {both, both};
}

CheckOptions check_options(const CheckFlags& flags, const CorpusFiles& files) {
  CheckOptions options;
  options.source_language = flags.source_language;
  options.target_language = flags.target_language;
  if (options.source_language.empty() && !files.target.empty())
    options.source_language = language_of_name(files.source);
  if (options.target_language.empty() && !files.target.empty())
    options.target_language = language_of_name(files.target);
  options.tokenizers = tokenizers_of(flags);
  options.max_length = flags.max_length;
  options.max_ratio = flags.max_ratio;
  options.examples = flags.examples;
  options.threads = flags.threads;
  return options;
}

CheckReport run_check(const CorpusFiles& files, const CheckOptions& options, CorpusFixer* fixer) {
  using Clock = std::chrono::steady_clock;
  constexpr Index steps = 1000;
  // A progress bar for a file that is read in a moment would be noise.
  constexpr std::chrono::seconds patience(1);
  const Clock::time_point start = Clock::now();
  Progress progress("checking", steps);
  CheckCallbacks callbacks;
  callbacks.progress = [&](double share) {
    // All compressed bytes are read before the last lines are decoded.
    if (Clock::now() - start > patience) progress.show(std::min(static_cast<Index>(share * steps), steps - 1));
  };
  if (fixer != nullptr) callbacks.pair = [&](const CheckedPair& pair) { fixer->add(pair); };
  CheckReport report = check_corpus(files, options, callbacks);
  if (Clock::now() - start > patience) progress.show(steps);
  return report;
}

EpochCost epoch_cost(const CheckReport& report, const CheckFlags& flags, const TokenizerPair& tokenizers) {
  EpochCost cost;
  cost.batches = divide_up(report.usable_tokens, flags.batch_tokens);
  Config config = flags.model.config();
  if (flags.no_estimate || report.usable == 0) return cost;
  if (tokenizers.source != nullptr) {
    config.source_vocab = tokenizers.source->size();
    config.target_vocab = tokenizers.target->size();
    if (!tokenizers.shared() && config.tie == Tie::all) config.tie = Tie::target;
    if (!tokenizers.shared() && config.tie == Tie::embeddings) config.tie = Tie::none;
  }
  try {
    cost.measured = estimate_training(config, report.lengths, flags.batch_tokens, flags.threads);
  } catch (const Error& error) {
    cost.failure = error.what();
  }
  return cost;
}

nlohmann::ordered_json side_json(const SideReport& side, const std::string& language) {
  return {{"language", language},       {"lines", side.lines},
          {"words", side.size.words},   {"characters", side.size.characters},
          {"tokens", side.size.tokens}, {"unknown_tokens", side.size.unknown}};
}

nlohmann::ordered_json findings_json(const CheckReport& report) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for_each_finding([&](Finding finding) {
    const FindingCount& found = report[finding];
    if (found.count == 0) return;
    nlohmann::ordered_json examples = nlohmann::ordered_json::array();
    for (const Example& e : found.examples) {
      examples.push_back({{"line", e.line}, {"detail", e.detail}, {"source", e.source}, {"target", e.target}});
    }
    findings.push_back({{"name", about(finding).name},
                        {"severity", name_of(about(finding).severity)},
                        {"count", found.count},
                        {"share", report.share(finding)},
                        {"cost", about(finding).cost},
                        {"examples", examples}});
  });
  return findings;
}

void print_json(const CheckReport& report, const CheckOptions& options, const EpochCost& cost, const CorpusFixer* fixer,
                const std::string& verdict_line) {
  nlohmann::ordered_json out{{"pairs", report.pairs},
                             {"usable_pairs", report.usable},
                             {"source", side_json(report.source, options.source_language)},
                             {"target", side_json(report.target, options.target_language)},
                             {"tokens_estimated", options.tokenizers.source == nullptr},
                             {"findings", findings_json(report)}};
  out["epoch"] = {{"target_tokens", report.usable_tokens}, {"batches", cost.batches}};
  if (cost.measured) {
    out["epoch"]["seconds"] = cost.seconds(report.usable_tokens);
    out["epoch"]["tokens_per_second"] = cost.measured->tokens_per_second;
    out["epoch"]["memory_bytes"] = cost.measured->bytes;
  }
  if (fixer != nullptr) out["fixed"] = {{"kept", fixer->kept()}, {"dropped", fixer->dropped()}};
  out["fit_to_train"] = fixer != nullptr || !report.refused();
  out["verdict"] = verdict_line;
  fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_text(const CheckReport& report, const CheckOptions& options, const EpochCost& cost, const CheckFlags& flags,
                const CorpusFixer* fixer, const std::string& verdict_line) {
  const auto language = [](const std::string& code) { return code.empty() ? std::string("not checked") : code; };
  fmt::print("{} {}; languages: source {}, target {}\n\n", with_commas(report.pairs), plural(report.pairs, "pair"),
             language(options.source_language), language(options.target_language));
  fmt::print("{}\n{}", findings_table(report), sizes_table(report, options.tokenizers.source == nullptr));
  fmt::print("{} {} usable for training as they are: {} {} of {} target tokens per epoch\n", with_commas(report.usable),
             plural(report.usable, "pair"), with_commas(cost.batches), plural(cost.batches, "batch", "batches"),
             with_commas(flags.batch_tokens));
  if (cost.measured) {
    fmt::print(
        "an epoch with preset {} takes about {} on {} at the current load ({:.0f} target tokens/s) and {:.0f} MB\n",
        flags.model.preset_name(), clock_time(cost.seconds(report.usable_tokens)), counted(flags.threads, "thread"),
        cost.measured->tokens_per_second, static_cast<double>(cost.measured->bytes) / 1e6);
  }
  if (!cost.failure.empty()) fmt::print("no estimate of the time per epoch: {}\n", cost.failure);
  if (fixer != nullptr) fmt::print("\n{}: {}; see dropped.tsv and report.txt there\n", flags.fix, fixer->summary());
  fmt::print("\n{}\n", verdict_line);
}

void run(const CheckFlags& flags) {
  const CorpusFiles files{flags.files[0], flags.files.size() > 1 ? flags.files[1] : std::string(), 1.0};
  const CheckOptions options = check_options(flags, files);
  flags.model.config();  // rejects invalid model flags before the corpus is read
  std::optional<CorpusFixer> fixer;
  if (!flags.fix.empty()) fixer.emplace(files, flags.fix);
  const CheckReport report = run_check(files, options, fixer ? &*fixer : nullptr);
  if (fixer) fixer->commit(report);
  const EpochCost cost = epoch_cost(report, flags, options.tokenizers);
  const std::string verdict_line =
      fixer ? fmt::format("the copy in '{}' is fit to train on", flags.fix) : verdict(report, files);
  if (flags.json) {
    print_json(report, options, cost, fixer ? &*fixer : nullptr, verdict_line);
  } else {
    print_text(report, options, cost, flags, fixer ? &*fixer : nullptr, verdict_line);
  }
  if (report.refused() && !fixer) throw Error(verdict_line);
}

}  // namespace

void add_corpus_check_command(CLI::App& corpus) {
  CLI::App* command = corpus.add_subcommand("check", "Find problems in parallel text, and optionally fix them");
  const auto flags = std::make_shared<CheckFlags>(*command);
  command->callback([flags] { run(*flags); });
}

}  // namespace heed::cli
