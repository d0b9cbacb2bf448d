#include "cli/train_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check_range.h"
#include "base/figures.h"
#include "base/one_line.h"
#include "base/thread_pool.h"
#include "cli/config_file.h"
#include "cli/whole_number.h"
#include "heed/error.h"
#include "heed/parser.h"
#include "model/files.h"
#include "model/model_info.h"
#include "text/tokenizer_files.h"
#include "treebank/corpus.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index updates_of_the_paper = 100000;
constexpr int most_threads = 1024;
constexpr double least_weight = 0.001;
constexpr double most_weight = 1000.0;

bool is_language_code(const std::string& code) {
  constexpr std::size_t longest = 35;  // RFC 5646 asks for at least this much
  return code.size() <= longest && std::all_of(code.begin(), code.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

// The language code in a file name: train.en, train.en.gz. It need not be one that the corpus check can detect.
std::string language_of(const fs::path& file) {
  const std::string ending = uncompressed_name(file).extension().string();
  const bool plausible = ending.size() >= 3 && ending.size() <= 6 && ending != ".txt" && ending != ".tsv";
  return plausible && is_language_code(ending.substr(1)) ? ending.substr(1) : "";
}

void check_language(const char* name, const std::string& code) {
  if (is_language_code(code)) return;
  throw SettingError(
      name, fmt::format("{} is '{}'; a language code consists of letters, digits and '-', such as en, de or pt-BR",
                        name, one_line(code)));
}

// A corpus is read several times, so it cannot be a pipe.
void check_file(const fs::path& file) {
  if (!fs::exists(file) || fs::is_regular_file(file)) return;
  throw Error(
      fmt::format("'{}' is not a regular file, and training reads a corpus more than once; write it to a file first",
                  file.string()));
}

// By its path, or after resolving symbolic links.
bool lies_in(const fs::path& file, const fs::path& folder) {
  const auto below = [](const fs::path& one, const fs::path& other) {
    const fs::path inner = one.lexically_relative(other);
    return !inner.empty() && *inner.begin() != "..";
  };
  std::error_code none;
  return below(fs::absolute(file).lexically_normal(), fs::absolute(folder).lexically_normal()) ||
         below(fs::weakly_canonical(file, none), fs::weakly_canonical(folder, none));
}

}  // namespace

TrainFlags::TrainFlags(CLI::App& command) : model(command) {
  const auto flag = [&](const char* group, const char* name, auto& value, const char* help) {
    return check_whole(command.add_option(name, value, help)->group(group), value);
  };
  flag("Settings", "-c,--config", config_file, "YAML file of settings named like these flags; flags override it");
  command.add_flag("--dump-config", dump_config, "Print all effective settings as YAML and exit")->group("Settings");

  flag("Data", "--task", task, "What to train for: translate or parse")->capture_default_str();
  flag("Data", "--source", sources, "Source text, or TSV with both sides if there is no --target; plain, .gz or .zst")
      ->allow_extra_args();
  flag("Data", "--target", targets, "Target text, aligned line by line with --source")->allow_extra_args();
  flag("Data", "--weights", weights, "Passes over each corpus per epoch [1]")->allow_extra_args();
  flag("Data", "--valid-source", valid_source, "Validation source text");
  flag("Data", "--valid-target", valid_target, "Validation target text");
  flag("Data", "--trees", trees, "Parse: files of trees, one per line; plain, .gz or .zst")->allow_extra_args();
  flag("Data", "--valid-trees", valid_trees, "Parse: trees for validation");
  flag("Data", "--form", form, "Parse: how trees are linearised: tags, xx or short")->capture_default_str();
  flag("Data", "--source-language", source_language, "Language code [from the file extension]");
  flag("Data", "--target-language", target_language, "Language code [from the file extension]");
  flag("Data", "--tokenizer", tokenizer, "bpe, unigram or space (text already split into pieces), or a tokenizer file")
      ->capture_default_str();
  flag("Data", "--normalization", normalization_name,
       "nfkc or identity (decoding restores every valid UTF-8 line byte for byte)")
      ->capture_default_str();
  flag("Data", "--sample-lines", sample_lines, "Maximum number of lines to learn the tokenizer from")
      ->capture_default_str();
  flag("Data", "--max-length", max_length, "Skip pairs with more pieces than this on either side")
      ->capture_default_str();

  flag("Training", "--model", folder,
       "Model folder; an existing run in it is resumed, with its own settings if no data is named");
  flag("Training", "--init", init, "Fine-tune: start from the weights, tokenizer and shape of this model");
  flag("Training", "--batch-tokens", batch_tokens, "Target tokens per batch")->capture_default_str();
  flag("Training", "--accumulate", accumulate, "Batches per update (gradient accumulation)")->capture_default_str();
  flag("Training", "--learning-rate", learning_rate, "Peak learning rate [the paper's, (d-model · warmup)^−½]");
  flag("Training", "--warmup", warmup, "Warm-up updates until the peak")->capture_default_str();
  flag("Training", "--schedule", schedule,
       "After the warm-up: paper (1/√update), linear or cosine (to 0 at --updates), or constant")
      ->capture_default_str();
  flag("Training", "--adam-beta1", adam.beta1, "Adam's decay rate of the first moment")->capture_default_str();
  flag("Training", "--adam-beta2", adam.beta2, "Adam's decay rate of the second moment")->capture_default_str();
  flag("Training", "--adam-epsilon", adam.epsilon, "Adam's epsilon")->capture_default_str();
  flag("Training", "--weight-decay", adam.weight_decay, "Decoupled weight decay of matrices, as in AdamW; 0: none")
      ->capture_default_str();
  flag("Training", "--clip", clip, "Maximum gradient norm; 0: no clipping")->capture_default_str();
  flag("Training", "--ema", ema, "Decay of an exponential moving average of the weights; 0: none")
      ->capture_default_str();
  flag("Training", "--updates", updates, "Stop after N updates [100000 if no other limit is set]");
  flag("Training", "--epochs", epochs, "Stop after N epochs");
  flag("Training", "--hours", hours, "Stop after N hours of training");
  flag("Training", "--patience", patience, "Early stopping: stop after N validations without a new best");
  flag("Training", "--seed", seed, "Random seed")->capture_default_str();
  flag("Training", "--threads", threads, "Number of threads [all cores]");
  command
      .add_flag("--change", change,
                "Resume with the given --learning-rate, --warmup, --batch-tokens, --accumulate, --dropout or "
                "--label-smoothing instead of the run's own")
      ->group("Training");
  command.add_flag("--restart", restart, "Move an existing run aside and train from scratch")->group("Training");

  flag("Validation and checkpoints", "--valid-every", valid_every, "Updates between validations")
      ->capture_default_str();
  flag("Validation and checkpoints", "--valid-metric", metric,
       "Metric that decides the best model: bleu, chrf, brackets or perplexity [bleu; brackets to parse]");
  flag("Validation and checkpoints", "--valid-beam", valid_beam, "Beam size in validation [4; 1 to parse]");
  flag("Validation and checkpoints", "--valid-alpha", valid_alpha, "Length penalty in validation")
      ->capture_default_str();
  flag("Validation and checkpoints", "--valid-tokenize", valid_tokenize,
       "BLEU tokenization: 13a, intl, char or none [none for space, char for ja, ko and zh, else 13a]");
  flag("Validation and checkpoints", "--save-every", save_every, "Updates between saves of the weights")
      ->capture_default_str();
  flag("Validation and checkpoints", "--average", average, "Number of last saves to average into model.safetensors")
      ->capture_default_str();
  flag("Validation and checkpoints", "--keep", keep, "Number of saves to keep on disk [those that are averaged]");
  flag("Validation and checkpoints", "--checkpoint-minutes", checkpoint_minutes,
       "Minutes between checkpoints to resume from")
      ->capture_default_str();
  flag("Validation and checkpoints", "--log-every", log_every, "Updates between log lines")->capture_default_str();
}

void TrainFlags::resolve(CLI::App& command) {
  const std::set<std::string> given = given_settings(command);
  if (!config_file.empty()) apply_config_file(command, config_file);
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  take_from_run(command);
  given_ = given;
  take_from_task(command);
  if (updates == 0 && epochs == 0 && hours == 0.0) updates = updates_of_the_paper;
  if (threads == 0) threads = available_cores();
  if (!sources.empty() && source_language.empty()) source_language = language_of(sources.front());
  if (!targets.empty() && target_language.empty()) target_language = language_of(targets.front());
  if (!init.empty()) take_from_init(command);
  check_values();
  config_ = init.empty() ? model.config() : model.changed(read_info(begins_from()).config);
  check_config();
  if (restart) check_what_restart_moves();
}

// A parser reads trees, and its target side has a vocabulary of its own: brackets and tags.
void TrainFlags::take_from_task(const CLI::App& command) {
  const auto needs_no = [](const char* name, bool given, const char* remedy) {
    if (given) throw SettingError(name, fmt::format("--{} does not go with the task; {}", name, remedy));
  };
  if (model_task() != ModelTask::parse) {
    needs_no("trees", !trees.empty(), "trees need --task parse");
    needs_no("valid-trees", !valid_trees.empty(), "trees need --task parse");
    return;
  }
  constexpr const char* remedy = "a parser's data are --trees and --valid-trees";
  needs_no("source", !sources.empty(), remedy);
  needs_no("target", !targets.empty(), remedy);
  needs_no("valid-source", !valid_source.empty(), remedy);
  needs_no("valid-target", !valid_target.empty(), remedy);
  tree_form();
  model.separate_by_default();
  if (command.get_option("--valid-metric")->count() == 0) metric = "brackets";
  if (command.get_option("--valid-beam")->count() == 0) valid_beam = 1;
}

std::vector<std::string> TrainFlags::files_read() const {
  std::vector<std::string> files = sources;
  for (const auto& more : {targets, trees}) files.insert(files.end(), more.begin(), more.end());
  files.insert(files.end(), {valid_source, valid_target, valid_trees, init});
  if (tokenizer_is_file()) files.push_back(tokenizer);
  std::erase(files, "");
  return files;
}

void TrainFlags::refuse(const SettingError& error) const {
  if (config_file.empty() || given_.contains(error.setting())) throw error;
  throw Error(fmt::format("'{}': {}", config_file, error.what()));
}

bool TrainFlags::resumes() const { return !restart && !folder.empty() && has_run(folder); }

fs::path TrainFlags::begins_from() const { return resumes() ? folder : init; }

bool TrainFlags::tokenizer_is_file() const { return !find_name<TokenizerKind>(tokenizer); }

// The tokenizer, and languages missing in file names, come from the other model; flags may repeat but not change them.
void TrainFlags::take_from_init(const CLI::App& command) {
  const ModelInfo from = read_info(begins_from());
  if (from.task != model_task()) {
    throw Error(fmt::format("--init '{}' is a model to {}, but the task is {}; choose another one", init,
                            name_of(from.task), task));
  }
  if (source_language.empty() && target_language.empty()) {
    source_language = from.source_language;
    target_language = from.target_language;
  }
  const TokenizerPair tokenizers = load_tokenizers(begins_from());
  // The target side of a parser has symbols, which nobody chooses a tokenizer for.
  const bool parse = from.task == ModelTask::parse;
  const std::string kind = name_of((parse ? tokenizers.source : tokenizers.target)->kind());
  const auto check_same = [&](const char* flag, const std::string& given, const std::string& theirs) {
    if (command.get_option(flag)->count() == 0 || given == theirs) return;
    throw SettingError(flag, fmt::format("{} is {}, but --init has {}; omit the flag", flag, given, theirs));
  };
  check_same("--tokenizer", tokenizer, kind);
  tokenizer = kind;
  if (parse) {
    check_same("--form", form, from.tree_form);
    form = from.tree_form;
  }
  // For text that is already split, the sizes are only upper bounds.
  if (kind == name_of(TokenizerKind::space)) return;
  check_same("--vocab-size", std::to_string(model.shared_vocab_size()), std::to_string(from.config.source_vocab));
  check_same("--source-vocab-size", std::to_string(model.source_vocab_size()),
             std::to_string(from.config.source_vocab));
  if (parse) return;
  check_same("--target-vocab-size", std::to_string(model.target_vocab_size()),
             std::to_string(from.config.target_vocab));
}

void TrainFlags::check_what_restart_moves() const {
  for (const std::string& file : files_read()) {
    if (!lies_in(file, folder)) continue;
    throw SettingError(
        "restart",
        fmt::format("--restart would move '{}', which training reads, away with '{}'; choose another --model", file,
                    folder));
  }
}

void TrainFlags::check_optimiser() const {
  check_below_one("adam-beta1", adam.beta1);
  check_below_one("adam-beta2", adam.beta2);
  // A smaller one would round to 0 in the kernel's f32 and turn a zero gradient into 0/0.
  check_least("adam-epsilon", adam.epsilon, 1e-30);
  check_least("weight-decay", adam.weight_decay, 0.0);
  if (!has_an_end(schedule_kind())) return;
  if (updates == 0)
    throw SettingError("schedule", fmt::format("schedule {} ends at the last update; pass --updates", schedule));
  if (warmup >= updates) {
    throw SettingError(
        "warmup", fmt::format("warmup is {}, but schedule {} ends at update {}; lower it, or raise --updates", warmup,
                              schedule, updates));
  }
}

void TrainFlags::check_values() const {
  check_range("threads", threads, 1, most_threads);
  check_least<Index>("batch-tokens", batch_tokens, 1);
  check_least<Index>("accumulate", accumulate, 1);
  check_least<Index>("warmup", warmup, 1);
  check_least<Index>("max-length", max_length, 1);
  check_least<Index>("sample-lines", sample_lines, 1);
  check_least("learning-rate", learning_rate, 0.0);
  check_optimiser();
  check_least("clip", clip, 0.0);
  check_least<Index>("updates", updates, 0);
  check_least<Index>("epochs", epochs, 0);
  check_least("hours", hours, 0.0);
  check_least<Index>("patience", patience, 0);
  check_least<Index>("valid-every", valid_every, 1);
  check_least<Index>("valid-beam", valid_beam, 1);
  check_least<Index>("save-every", save_every, 1);
  check_least<Index>("average", average, 1);
  check_least<Index>("keep", keep, 0);
  check_least<Index>("log-every", log_every, 1);
  check_least("checkpoint-minutes", checkpoint_minutes, 0.0);
  check_below_one("ema", ema);
  valid_metric();
  const SearchOptions valid_search = validation_options(TokenizerKind::bpe).search;
  try {
    check(valid_search);
  } catch (const SettingError& error) {
    throw SettingError(fmt::format("valid-{}", error.setting()), fmt::format("valid-{}", error.what()));
  }
  if (patience > 0 && valid_source.empty() && valid_trees.empty())
    throw SettingError("patience", "patience needs validation; pass --valid-source or --valid-trees");
  const bool parse = model_task() == ModelTask::parse;
  if (valid_metric() != ValidMetric::perplexity && (valid_metric() == ValidMetric::brackets) != parse) {
    throw SettingError("valid-metric", fmt::format("valid-metric is {}, but the task is {}; choose {}", metric, task,
                                                   parse ? "brackets or perplexity" : "bleu, chrf or perplexity"));
  }
  check_language("source-language", source_language);
  check_language("target-language", target_language);
  from_name<Normalization>("normalization", normalization_name);
  if (!fs::is_regular_file(tokenizer) && !resumes()) from_name<TokenizerKind>("tokenizer", tokenizer);
}

void TrainFlags::check_config() const {
  const Config& c = config_;
  if (init.empty() && model.separate_vocabularies() && (c.tie == Tie::all || c.tie == Tie::embeddings)) {
    throw SettingError(
        "tie", fmt::format("tie is {}, but source and target have separate vocabularies; use tie target or none{}",
                           name_of(c.tie), trees.empty() ? ", or vocab-size for a shared one" : ""));
  }
  if (max_length >= c.most_positions()) {
    throw SettingError(
        "max-length",
        fmt::format("max-length is {}, which with </s> exceeds the {} learned positions; lower it, or raise "
                    "max-positions",
                    max_length, c.most_positions()));
  }
}

std::vector<CorpusFiles> TrainFlags::corpora() const {
  const bool parse = model_task() == ModelTask::parse;
  const std::vector<std::string>& files = parse ? trees : sources;
  if (files.empty()) {
    const std::string no_run = has_run(folder) ? "" : fmt::format(", and '{}' has no run to resume", folder);
    throw SettingError(parse ? "trees" : "source",
                       fmt::format("no training data given{}; pass {}", no_run,
                                   parse ? "--trees" : "--source and --target, or --source with a TSV file"));
  }
  if (!targets.empty() && targets.size() != sources.size()) {
    throw SettingError("source",
                       fmt::format("--source names {}, but --target {}; pass one target file for each source file",
                                   counted(sources.size(), "file"), targets.size()));
  }
  if (!weights.empty() && weights.size() != files.size()) {
    throw SettingError("weights",
                       fmt::format("--weights has {} for {}; pass one for each", counted(weights.size(), "value"),
                                   counted(files.size(), "corpus", "corpora")));
  }
  std::vector<CorpusFiles> corpora;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (!(weight >= least_weight && weight <= most_weight)) {
      throw SettingError("weights", fmt::format("weights has {}; choose a weight between {} and {}", weight,
                                                least_weight, most_weight));
    }
    CorpusFiles& corpus =
        corpora.emplace_back(parse ? treebank::tree_corpus(files[i], tree_form()) : CorpusFiles{files[i]});
    corpus.weight = weight;
    check_file(corpus.source);
    if (targets.empty()) continue;
    corpus.target = targets[i];
    check_file(corpus.target);
  }
  return corpora;
}

std::optional<CorpusFiles> TrainFlags::validation() const {
  if (!valid_trees.empty()) {
    check_file(valid_trees);
    return treebank::tree_corpus(valid_trees, tree_form());
  }
  if (valid_source.empty() && valid_target.empty()) return std::nullopt;
  if (valid_source.empty()) throw SettingError("valid-target", "--valid-target needs --valid-source as well");
  check_file(valid_source);
  if (!valid_target.empty()) check_file(valid_target);
  return CorpusFiles{valid_source, valid_target};
}

TokenizerOptions TrainFlags::tokenizer_options(Index vocab_size) const {
  return {from_name<TokenizerKind>("tokenizer", tokenizer),
          from_name<Normalization>("normalization", normalization_name), static_cast<int>(vocab_size)};
}

TrainingOptions TrainFlags::training_options() const {
  return {.schedule = {.warmup = warmup, .peak = learning_rate, .kind = schedule_kind(), .updates = updates},
          .adam = adam,
          .clip = clip,
          .seed = seed};
}

RunOptions TrainFlags::run_options() const {
  return {.folder = folder,
          .epoch = {.batch_tokens = batch_tokens, .seed = seed},
          .accumulate = accumulate,
          .limits = {updates, epochs, hours, patience},
          .valid_every = valid_every,
          .save_every = save_every,
          .keep = keep,
          .average = average,
          .log_every = log_every,
          .ema = ema,
          .checkpoint_minutes = checkpoint_minutes,
          .changes = change ? Changes::allowed : Changes::refused};
}

ScheduleKind TrainFlags::schedule_kind() const { return from_name<ScheduleKind>("schedule", schedule); }

ModelTask TrainFlags::model_task() const { return from_name<ModelTask>("task", task); }

treebank::Form TrainFlags::tree_form() const { return from_name<treebank::Form>("form", form); }

ValidMetric TrainFlags::valid_metric() const { return from_name<ValidMetric>("valid-metric", metric); }

ValidationOptions TrainFlags::validation_options(TokenizerKind kind) const {
  ValidationOptions options{.search = {.beam = valid_beam, .alpha = valid_alpha}, .bleu = {}};
  const bool without_spaces = target_language == "ja" || target_language == "ko" || target_language == "zh";
  const std::string usual = kind == TokenizerKind::space ? "none" : without_spaces ? "char" : "13a";
  const std::string wanted = valid_tokenize.empty() ? usual : valid_tokenize;
  options.bleu.tokenizer = from_name<metrics::Tokenizer>("valid-tokenize", wanted);
  if (model_task() == ModelTask::parse) {
    options.form = tree_form();
    options.search.extra_length = ParseOptions().extra_length;
  }
  return options;
}

Fingerprint TrainFlags::fingerprint() const {
  Fingerprint all{{"batch-tokens", std::to_string(batch_tokens)},
                  {"accumulate", std::to_string(accumulate)},
                  {"learning-rate", fmt::format("{}", peak_rate())},
                  {"warmup", std::to_string(warmup)},
                  {"schedule", schedule},
                  {"adam-beta1", fmt::format("{}", adam.beta1)},
                  {"adam-beta2", fmt::format("{}", adam.beta2)},
                  {"adam-epsilon", fmt::format("{}", adam.epsilon)},
                  {"weight-decay", fmt::format("{}", adam.weight_decay)},
                  {"clip", fmt::format("{}", clip)},
                  {"ema", fmt::format("{}", ema)},
                  {"save-every", std::to_string(save_every)},
                  {"max-length", std::to_string(max_length)},
                  {"seed", std::to_string(seed)}};
  // Where the learning rate depends on the last update, that cannot change.
  if (has_an_end(schedule_kind())) all["updates"] = std::to_string(updates);
  all["task"] = task;
  if (model_task() == ModelTask::parse) all["form"] = form;
  return all;
}

double TrainFlags::peak_rate() const { return training_options().schedule.peak_rate(config_.d_model); }

}  // namespace heed::cli
