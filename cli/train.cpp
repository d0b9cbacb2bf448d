// heed train: trains a model from parallel text, in a folder from which the run can be resumed at any time.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/one_line.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/train_flags.h"
#include "cli/validation.h"
#include "heed/error.h"
#include "heed/parser.h"
#include "kernels/isa.h"
#include "model/int8_weights.h"
#include "model/model_info.h"
#include "training/report.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

// RAII: locks the folder against a second run.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : file_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0) throw Error(fmt::format("'{}': cannot write there; check the permissions", folder.string()));
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw Error(fmt::format("'{}': another 'heed train' is running there; wait for it or choose another folder",
                              folder.string()));
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { ::close(file_); }

 private:
  int file_;
};

void move_aside(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  std::optional<FolderLock> lock;
  if (fs::exists(folder / "training")) lock.emplace(folder / "training");
  for (int n = 1;; ++n) {
    const fs::path aside = fmt::format("{}.old-{}", folder.lexically_normal().string(), n);
    if (fs::exists(aside)) continue;
    rename_file(folder, aside);
    say(fmt::format("Moved the run in '{}' to '{}'", folder.string(), aside.string()));
    return;
  }
}

std::function<void(double)> progress_of(const std::string& what) {
  constexpr Index steps = 1000;
  auto bar = std::make_shared<Progress>(what, steps);
  return [bar](double share) { bar->show(static_cast<Index>(share * static_cast<double>(steps))); };
}

std::vector<CorpusFacts> survey_all(std::span<const CorpusFiles> corpora) {
  std::vector<CorpusFacts> facts;
  for (const CorpusFiles& files : corpora) {
    const auto progress = progress_of(fmt::format("reading {}", files.source.filename().string()));
    facts.push_back(survey(files, progress));
    if (facts.back().pairs == 0) throw Error(fmt::format("{}: the corpus is empty", files.name()));
  }
  return facts;
}

std::shared_ptr<const Tokenizer> learn_tokenizer(const TrainFlags& flags, std::span<const CorpusFiles> corpora,
                                                 std::optional<Side> side, Index vocab_size) {
  const TokenizerOptions options = flags.tokenizer_options(vocab_size);
  const std::vector<std::string> lines = sample_lines(corpora, side, {flags.sample_lines, flags.seed});
  say(fmt::format("Learning a {} tokenizer of {} from {}", flags.tokenizer, counted(vocab_size, "piece"),
                  counted(lines.size(), "line")));
  return train_tokenizer(options, lines);
}

// Every bracket and tag of the trees is a token.
std::shared_ptr<const Tokenizer> symbols_of(const TrainFlags& flags, std::span<const CorpusFiles> corpora) {
  constexpr int any_number = 1 << 20;
  const TokenizerOptions options{.kind = TokenizerKind::space, .vocab_size = any_number};
  std::shared_ptr<const Tokenizer> symbols =
      train_tokenizer(options, sample_lines(corpora, Side::target, {flags.sample_lines, flags.seed}));
  say(fmt::format("The trees have {}", counted(symbols->size(), "symbol")));
  return symbols;
}

TokenizerPair find_tokenizers(const TrainFlags& flags, std::span<const CorpusFiles> corpora, bool resumes) {
  if (resumes || !flags.init.empty()) return load_tokenizers(flags.begins_from());
  const bool parse = flags.model_task() == ModelTask::parse;
  if (flags.tokenizer_is_file()) {
    const auto tokenizer = read_tokenizer(read_file(flags.tokenizer), flags.tokenizer);
    return {tokenizer, parse ? symbols_of(flags, corpora) : tokenizer};
  }
  if (parse) {
    return {learn_tokenizer(flags, corpora, Side::source, flags.model.source_vocab_size()), symbols_of(flags, corpora)};
  }
  if (flags.model.separate_vocabularies()) {
    return {learn_tokenizer(flags, corpora, Side::source, flags.model.source_vocab_size()),
            learn_tokenizer(flags, corpora, Side::target, flags.model.target_vocab_size())};
  }
  const auto tokenizer = learn_tokenizer(flags, corpora, std::nullopt, flags.model.source_vocab_size());
  return {tokenizer, tokenizer};
}

std::string fingerprint_of(const Tokenizer& tokenizer) {
  return fmt::format("{} with {} pieces ({:016x})", name_of(tokenizer.kind()), tokenizer.size(),
                     hash_of(tokenizer.serialised()));
}

Fingerprint fingerprint_of(const TrainFlags& flags, std::span<const CorpusFiles> corpora,
                           std::span<const CorpusFacts> facts, const TokenizerPair& tokenizers, const Config& config) {
  Fingerprint all = flags.fingerprint();
  for (std::size_t i = 0; i < corpora.size(); ++i) {
    all[fmt::format("corpus {}", i + 1)] =
        fmt::format("{} pairs ({:016x}) of weight {}", facts[i].pairs, facts[i].fingerprint, corpora[i].weight);
  }
  all["corpora"] = std::to_string(corpora.size());
  all["source tokenizer"] = fingerprint_of(*tokenizers.source);
  all["target tokenizer"] = fingerprint_of(*tokenizers.target);
  all["tokenizer"] = flags.tokenizer_is_file() ? "a file" : flags.tokenizer;
  all["init"] = flags.init.empty() ? "nothing" : "a model";
  // A resumed run does not need the tokenizer file or the model it started from, so these may have been deleted.
  if (flags.tokenizer_is_file() && fs::exists(flags.tokenizer)) {
    all["tokenizer's file"] = fmt::format("one with the fingerprint {:016x}", hash_of(read_file(flags.tokenizer)));
  }
  if (!flags.init.empty() && fs::exists(fs::path(flags.init) / "model.safetensors")) {
    Metadata facts = Safetensors(weights_file(flags.init)).metadata();
    all["init's model"] = fmt::format("one with the checksum {}", one_line(facts["checksum"]));
  }
  all["source-language"] = flags.source_language;
  all["target-language"] = flags.target_language;
  all["normalization"] = flags.normalization_name;
  const Config& asked = flags.config();
  all["vocab-size"] = fmt::format("{} and {}", asked.source_vocab, asked.target_vocab);
  const nlohmann::ordered_json architecture = config_json(config);
  for (const auto& [name, value] : architecture.items()) all[name] = value.dump();
  return all;
}

void tell_counts(const CorpusFiles& files, const EncodingCounts& c, Index max_length) {
  say(fmt::format("{}: {}, {} source and {} target tokens", files.name(), counted(c.pairs, "pair"), c.source_tokens,
                  c.target_tokens));
  if (c.empty > 0) say(fmt::format("  {} skipped: source or target is empty", counted(c.empty, "pair")));
  if (c.too_long > 0) {
    say(fmt::format("  {} skipped: source or target has more than {} (--max-length)", counted(c.too_long, "pair"),
                    counted(max_length, "piece")));
  }
  const Index all = c.source_tokens + c.target_tokens;
  if (c.unknown > 0) {
    say(fmt::format("  {} ({:.2f} %) unknown to the tokenizer", counted(c.unknown, "token"),
                    100.0 * static_cast<double>(c.unknown) / static_cast<double>(all)));
  }
  if (c.pairs == 0) throw Error(fmt::format("{}: no pairs left to train on", files.name()));
}

std::vector<EncodedCorpus> encode_all(const TrainFlags& flags, std::span<const CorpusFiles> corpora,
                                      std::span<const CorpusFacts> facts, const TokenizerPair& tokenizers) {
  const EncodingOptions options{.max_length = flags.max_length};
  const fs::path folder = fs::path(flags.folder) / "training";
  std::vector<EncodedCorpus> encoded;
  for (std::size_t i = 0; i < corpora.size(); ++i) {
    const fs::path file = encoded_file(folder, facts[i], tokenizers, options);
    if (!fs::exists(file)) {
      ThreadPool threads(flags.threads);
      const auto progress = progress_of(fmt::format("encoding {}", corpora[i].source.filename().string()));
      encode_corpus(corpora[i], tokenizers, options, file, threads, progress);
    }
    encoded.emplace_back(file);
    tell_counts(corpora[i], encoded.back().counts(), flags.max_length);
  }
  return encoded;
}

// The shape that the flags describe, with the vocabulary sizes of the tokenizers.
Config config_of(const TrainFlags& flags, const TokenizerPair& tokenizers) {
  if (!flags.init.empty()) return flags.config();
  return flags.model.config(tokenizers.source->size(), tokenizers.target->size());
}

ModelInfo info_of(const TrainFlags& flags, const Config& config) {
  ModelInfo info{.config = config, .source_language = flags.source_language, .target_language = flags.target_language};
  if (flags.model_task() == ModelTask::parse) {
    info.task = ModelTask::parse;
    info.tree_form = flags.form;
    info.beam = ParseOptions().beam;
    info.alpha = ParseOptions().alpha;
  }
  return info;
}

void start_from(const TrainFlags& flags, Trainer& trainer) {
  const ModelInfo from = read_info(flags.init);
  if (!file_exists(fs::path(flags.init) / "model.safetensors")) {
    throw Error(
        fmt::format("--init '{}' has no model.safetensors; wait until its run has written one, or pass "
                    "another model",
                    flags.init));
  }
  if (!from.source_end) {
    throw Error(
        fmt::format("--init '{}' has source_end false: its source sentences lack the </s> that training writes; pass "
                    "another model",
                    flags.init));
  }
  const Safetensors weights(weights_file(flags.init));
  if (holds_int8(weights)) {
    throw Error(fmt::format("--init '{}' holds int8 weights; pass the f32 model it was made from", flags.init));
  }
  const nlohmann::ordered_json theirs = config_json(from.config);
  const nlohmann::ordered_json ours = config_json(trainer.model().config());
  const Config plain = without_usual_head_widths(trainer.model().config());
  if (const char* field = first_difference(without_usual_head_widths(from.config), plain, Scope::shape)) {
    const std::string name = json_name(field);
    throw Error(fmt::format("--init '{}' has {} {}, but this model has {}; omit the shape flags", flags.init, field,
                            theirs.at(name).dump(), ours.at(name).dump()));
  }
  check_tokenizers(flags.init, load_tokenizers(flags.init), weights.metadata());
  read_weights(weights, trainer.model().layout(), {{"", trainer.weights()}}, Verify::checksum);
  trainer.restore(0);
}

[[noreturn]] void refuse_info(const fs::path& folder) {
  throw Error(
      fmt::format("'{}' does not match the run; restore the original file, or train from scratch with --restart",
                  (folder / "config.json").string()));
}

// config.json, which translate reads, must match the run, except for settings that --change may change.
void check_info(const fs::path& folder, const ModelInfo& want) {
  ModelInfo info = read_info(folder);
  info.config.dropout = want.config.dropout;
  info.config.label_smoothing = want.config.label_smoothing;
  if (config_json(info.config) == config_json(want.config) && info.source_language == want.source_language &&
      info.target_language == want.target_language && info.task == want.task && info.tree_form == want.tree_form) {
    return;
  }
  refuse_info(folder);
}

// The source length for translate, known once the corpora are encoded. It depends only on the data and the tokenizers,
// so a resumed run computes the same one; runs started before heed recorded it have none.
Index record_source_length(const fs::path& folder, ModelInfo info, std::span<const EncodedCorpus> corpora,
                           bool resumes) {
  const Index length = usual_source_length(corpora);
  if (resumes) {
    const Index recorded = read_info(folder).max_source_length;
    if (recorded != 0 && recorded != length) refuse_info(folder);
    return recorded;
  }
  info.max_source_length = length;
  write_info(folder, info);
  return length;
}

// Records the settings of a resumed run; if it is killed in between, the next resume brings the files up to date.
void rewrite_settings(const fs::path& folder, const Config& config, const std::string& settings) {
  write_file(folder / "training" / "config.yaml", settings);
  ModelInfo info = read_info(folder);
  if (info.config.dropout == config.dropout && info.config.label_smoothing == config.label_smoothing) return;
  info.config.dropout = config.dropout;
  info.config.label_smoothing = config.label_smoothing;
  write_info(folder, info);
}

std::string judged_by(const TrainFlags& flags, const CorpusFacts& facts) {
  return fmt::format("{} of {} pairs ({:016x}), beam {}, alpha {}, {}", flags.metric, facts.pairs, facts.fingerprint,
                     flags.valid_beam, flags.valid_alpha, flags.valid_tokenize);
}

double quality_of(const Validation& validation, ValidMetric metric) {
  if (metric == ValidMetric::bleu && validation.bleu) return *validation.bleu;
  if (metric == ValidMetric::chrf && validation.chrf) return *validation.chrf;
  if (metric == ValidMetric::brackets && validation.brackets) return *validation.brackets;
  return -validation.perplexity;
}

std::string limit_of(const TrainFlags& flags, End limit) {
  if (limit == End::hours) return fmt::format("{}", flags.hours);
  return std::to_string(limit == End::updates ? flags.updates : limit == End::epochs ? flags.epochs : flags.patience);
}

void tell_result(const RunResult& result, const TrainFlags& flags) {
  if (result.was_over) {
    const std::string limit = name_of(result.ended);
    say(fmt::format("'{}' is finished: {}, stopped by --{} {}; pass a larger --{} to train further", flags.folder,
                    counted(result.state.update, "update"), limit, limit_of(flags, result.ended), limit));
  } else if (result.ended == End::signal && result.saved == result.state.update) {
    say(fmt::format("Saved at update {}; 'heed train --model {}' resumes from there", result.state.update,
                    flags.folder));
  } else if (result.ended == End::signal) {
    say(fmt::format(
        "Stopped at update {}; the gradient or the perplexity of the last {} was not finite, so {}",
        result.state.update, counted(result.state.lost_in_a_row, "update"),
        result.saved ? fmt::format("the checkpoint of update {} is kept", *result.saved) : "nothing was saved"));
  } else {
    say(fmt::format("Finished after {} in {} (limit: {}); the model is in '{}'", counted(result.state.update, "update"),
                    clock_time(result.state.seconds), name_of(result.ended), flags.folder));
  }
}

int train(const TrainFlags& flags, const std::string& settings) {
  // The reader of the log may exit first, as 'tee' does on Ctrl-C; the run must still be saved.
  std::signal(SIGPIPE, SIG_IGN);
  const fs::path folder = flags.folder;
  if (folder.empty()) throw SettingError("model", "no model folder given; pass --model DIR");
  const std::vector<CorpusFiles> corpora = flags.corpora();
  const std::optional<CorpusFiles> valid_files = flags.validation();
  std::vector<CorpusFacts> valid_facts;
  if (valid_files) valid_facts = survey_all({&*valid_files, 1});
  const std::vector<CorpusFacts> facts = survey_all(corpora);

  if (flags.restart) move_aside(folder);
  if (fs::exists(folder / "model.safetensors") && !has_run(folder)) {
    throw Error(fmt::format("'{}' holds a model but no run to resume; choose another folder, or pass --restart",
                            folder.string()));
  }
  make_folder(folder / "training");
  const FolderLock lock(folder / "training");
  for (const char* part : {"", "training", "training/saves"}) remove_stale_temporary_files(folder / part);
  const bool resumes = flags.resumes();
  const TokenizerPair tokenizers = find_tokenizers(flags, corpora, resumes);
  const Config config = config_of(flags, tokenizers);
  const Fingerprint fingerprint = fingerprint_of(flags, corpora, facts, tokenizers, config);
  ModelInfo info = info_of(flags, config);
  if (resumes) {
    CheckpointFolder(folder).changes(fingerprint, flags.run_options().changes);
    check_info(folder, info);
  }
  // Before the expensive steps: fails early if memory is too small or --init has a different shape.
  Trainer trainer(config, flags.training_options(), flags.threads);
  if (!resumes) {
    if (!flags.init.empty()) start_from(flags, trainer);
    save_tokenizers(tokenizers, folder);
    write_file(folder / "training" / "config.yaml", settings);
  }
  std::optional<Validator> validator;
  if (valid_files)
    validator.emplace(*valid_files, tokenizers, trainer, flags.validation_options(tokenizers.target->kind()));
  const std::vector<EncodedCorpus> encoded = encode_all(flags, corpora, facts, tokenizers);
  info.max_source_length = record_source_length(folder, info, encoded, resumes);
  std::vector<WeightedCorpus> weighted;
  for (std::size_t i = 0; i < encoded.size(); ++i) weighted.push_back({&encoded[i], corpora[i].weight});

  RunOptions options = flags.run_options();
  options.origin = tokenizer_facts(tokenizers);
  options.facts = {HEED_VERSION, trainer.model().parameter_count(), flags.threads, flags.seed, kernels::isa_name()};
  if (validator) {
    options.judged_by = judged_by(flags, valid_facts[0]);
  } else {
    options.valid_every = 0;
  }
  ReportFacts report_facts{.model = folder.filename().string(),
                           .source_language = flags.source_language,
                           .target_language = flags.target_language,
                           .parameters = trainer.model().parameter_count()};
  watch_signals();
  TrainingRun run(trainer, weighted, options, fingerprint,
                  {.validate = [&] { return validator->run(info.max_source_length); },
                   .quality = [&](const Validation& v) { return quality_of(v, flags.valid_metric()); },
                   .report =
                       [&](const TrainingLog& log, double news_lasts) {
                         report_facts.written = std::time(nullptr);
                         report_facts.news_lasts = news_lasts;
                         write_file(folder / "report.html",
                                    render_report(settings, read_file(log.file()), report_facts));
                       },
                   .signal = [] { return received_signal(); }});
  if (resumes && !run.is_over()) {
    rewrite_settings(folder, config, settings);
    say(fmt::format("Resuming from update {}", run.state().update));
  }
  if (run.validation_changed()) say("Validation settings changed; the previous best score is discarded");
  const RunResult result = run.run();
  tell_result(result, flags);
  return result.ended == End::signal && !result.was_over ? exit_after_signal + received_signal() : 0;
}

}  // namespace

void add_train_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "Train a model from parallel text, or resume a run");
  const auto flags = std::make_shared<TrainFlags>(*command);
  command->callback([flags, command] {
    try {
      flags->resolve(*command);
      if (flags->dump_config) {
        fmt::print("{}", flags->dump(*command, Paths::as_given));
        return;
      }
      const int code = train(*flags, flags->dump(*command, Paths::absolute));
      if (code != 0) throw CLI::RuntimeError(code);
    } catch (const SettingError& error) {
      flags->refuse(error);
    }
  });
}

}  // namespace heed::cli
