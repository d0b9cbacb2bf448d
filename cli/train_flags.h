// The settings of heed train, from the command line or a YAML file.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/validation.h"
#include "data/corpus.h"
#include "heed/error.h"
#include "model/model_info.h"
#include "text/tokenizer.h"
#include "training/run.h"
#include "trees/linearise.h"

namespace heed {

namespace cli {
enum class ValidMetric { bleu, chrf, brackets, perplexity };
}
template <>
struct EnumNames<cli::ValidMetric> {
  static constexpr std::array names{"bleu", "chrf", "brackets", "perplexity"};
};

}  // namespace heed

namespace heed::cli {
enum class Paths { as_given, absolute };

class TrainFlags {
 public:
  explicit TrainFlags(CLI::App& command);

  // Merges the config file and, if the command names no data, the settings of the run in the folder; then checks every
  // value. Throws SettingError for an invalid one.
  void resolve(CLI::App& command);
  // Rethrows the error, naming the config file if the value came from there.
  [[noreturn]] void refuse(const SettingError& error) const;

  // Whether the folder holds a run to resume and --restart is not set.
  bool resumes() const;
  // For a run with --init, the model folder that defines shape, tokenizer and languages: the run's own once it has
  // started, so that the other one may be deleted.
  std::filesystem::path begins_from() const;
  // Whether --tokenizer names a file instead of a kind.
  bool tokenizer_is_file() const;
  // The model's shape; that of --init unless flags override it.
  const Config& config() const { return config_; }
  std::vector<CorpusFiles> corpora() const;
  std::optional<CorpusFiles> validation() const;
  TokenizerOptions tokenizer_options(Index vocab_size) const;
  TrainingOptions training_options() const;
  RunOptions run_options() const;
  ScheduleKind schedule_kind() const;
  ModelTask model_task() const;
  treebank::Form tree_form() const;
  ValidMetric valid_metric() const;
  ValidationOptions validation_options(TokenizerKind kind) const;
  // The learning rate at the end of the warm-up, by default the paper's.
  double peak_rate() const;
  // The settings, besides data, tokenizer and architecture, that must not change when a run is resumed.
  Fingerprint fingerprint() const;
  // All effective settings as YAML.
  std::string dump(const CLI::App& command, Paths paths) const;

  ModelFlags model;
  std::string config_file;
  std::vector<std::string> sources, targets;
  std::vector<double> weights;
  std::string valid_source, valid_target;
  std::string task = "translate";
  std::vector<std::string> trees;
  std::string valid_trees;
  std::string form = "tags";
  std::string folder;
  std::string source_language, target_language;
  std::string tokenizer = "bpe";  // a kind, or a tokenizer file
  std::string normalization_name = "nfkc";
  Index sample_lines = 1000000;
  Index max_length = 256;
  Index batch_tokens = 5000;
  Index accumulate = 5;
  double learning_rate = 0.0;
  Index warmup = 4000;
  std::string schedule = "paper";
  AdamOptions adam;
  double clip = 0.0;
  double ema = 0.0;
  Index updates = 0, epochs = 0, patience = 0;
  double hours = 0.0;
  Index valid_every = 1000, save_every = 1000, keep = 0, average = 5, log_every = 50;
  double checkpoint_minutes = 10.0;
  std::string metric = "bleu";
  int valid_beam = 4;
  float valid_alpha = 0.6f;
  std::string valid_tokenize;
  std::string init;
  std::uint64_t seed = 1;
  int threads = 0;
  bool change = false;
  bool restart = false;
  bool dump_config = false;

 private:
  void take_from_run(CLI::App& command);
  void take_from_task(const CLI::App& command);
  bool names_data() const { return !sources.empty() || !trees.empty(); }
  // The files of every kind that training reads.
  std::vector<std::string> files_read() const;
  void take_from_init(const CLI::App& command);
  void check_values() const;
  void check_config() const;
  void check_optimiser() const;
  void check_what_restart_moves() const;

  std::set<std::string> given_;  // on the command line
  Config config_;
};

}  // namespace heed::cli
