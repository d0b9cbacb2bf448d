// heed translate: lines of text in, their translations out.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/progress.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/load_flags.h"
#include "cli/scoring_flags.h"
#include "cli/signals.h"
#include "cli/text_output.h"
#include "heed/translator.h"

namespace heed::cli {
namespace {

// Batches that are read at a time, so that sentences can wait for a place in the batch. The first answers come after
// one batch alone.
constexpr Index batches_ahead = 16;

struct TranslateFlags {
  explicit TranslateFlags(CLI::App& command) : model(command), scoring(command) {
    command.add_option("-i,--input", input, "File of sentences, one a line, plain, .gz or .zst [standard input]");
    command.add_option("-o,--output", output, "File that appears when all is done [standard output]");
    command.add_option("--beam", beam, "Hypotheses kept; 1: greedy [the model's, or 4]");
    command
        .add_option("--extra-length", search.extra_length,
                    "A translation has at most this many pieces more than its source")
        ->capture_default_str();
    command.add_option("--min-length", search.min_length, "A translation has at least this many pieces")
        ->capture_default_str();
    command.add_option("--max-length", search.max_length, "And at most this many; 0: as --extra-length says")
        ->capture_default_str();
    command.add_option("--no-repeat", search.no_repeat, "No run of N pieces comes twice in a translation; 0: any may")
        ->capture_default_str();
    command.add_option("--max-source-length", model.options.max_source_length,
                       "Translate lines of more than N pieces sentence by sentence [what training recorded, or 512]");
    command.add_flag("--suppress-unk", search.suppress_unk, "Never produce <unk>");
    command.add_option("--prefix", prefix, "File with what each translation has to begin with, one a line");
    n_best_option =
        command.add_option("--n-best", n_best, "Show the N best translations of each line [the beam]")->expected(0, 1);
    alternatives_option = command.add_option("--alternatives", alternatives,
                                             "Show N translations that differ right after the prefix [the beam]");
    alternatives_option->expected(0, 1)->excludes(n_best_option);
    command.add_flag("--sample", search.sampling.on, "Draw each token by chance; --n-best N draws N translations");
    command.add_option("--temperature", search.sampling.temperature, "Of sampling: below 1 surer, above 1 wilder")
        ->capture_default_str();
    command.add_option("--top-k", search.sampling.top_k, "Sample from the K most probable tokens; 0: from all")
        ->capture_default_str();
    command.add_option("--top-p", search.sampling.top_p, "Sample from the fewest tokens that hold this probability")
        ->capture_default_str();
    command.add_option("--seed", search.sampling.seed, "Of sampling")->capture_default_str();
    command.add_flag("--scores", scores, "Show the log-probability and the score after each translation");
    command.add_flag("--token-scores", token_scores, "Show the log-probability of each piece, and of </s>");
    command.add_flag("--alignment", search.alignment, "Show which word of the source each word attends to most");
    command.add_flag("--soft-alignment", search.soft_alignment,
                     "Show attention weights, 'w,w,w w,w,w …': a row for each piece and </s>, a weight for each source "
                     "piece and </s>");
    command.add_option("--alignment-layer", search.alignment_layer,
                       "Decoder layer, from 1, that both alignments are taken from [the last but one]");
    command.add_flag("--pieces", pieces, "Show the pieces, not the text");
    command.add_flag("--quiet", quiet, "No progress and no notes about lines on standard error; errors only");
  }

  bool is_list() const { return n_best_option->count() > 0 || alternatives_option->count() > 0; }

  // Refuses what fits no model. A beam that is not given may be as wide as any.
  void check_before_load() const { search_options({.beam = SearchOptions::most_beam}); }

  // With the model's defaults for what is not given.
  SearchOptions search_options(const SearchOptions& defaults) const {
    SearchOptions all = search;
    all.beam = beam.value_or(defaults.beam);
    all.alpha = defaults.alpha;
    all.length_penalty = defaults.length_penalty;
    all = scoring.over(all);
    if (n_best_option->count() > 0) all.n_best = n_best.value_or(all.beam);
    if (alternatives_option->count() > 0) {
      all.alternatives = true;
      all.n_best = alternatives.value_or(all.beam);
    }
    all.scores = scores || token_scores || is_list();
    check(all);
    return all;
  }

  LoadFlags model;
  ScoringFlags scoring;
  std::string input, output, prefix;
  std::optional<int> beam;
  SearchOptions search;  // the rest
  CLI::Option* n_best_option = nullptr;
  CLI::Option* alternatives_option = nullptr;
  std::optional<int> n_best, alternatives;
  bool scores = false;
  bool token_scores = false;
  bool pieces = false;
  bool quiet = false;
};

std::string format_alignment(const std::vector<AlignedWords>& alignment) {
  std::vector<std::string> pairs;
  for (const AlignedWords& pair : alignment) pairs.push_back(fmt::format("{}-{}", pair.source, pair.target));
  return fmt::format("{}", fmt::join(pairs, " "));
}

// Rows apart by spaces, weights by commas.
std::string format_soft_alignment(const std::vector<std::vector<float>>& rows) {
  std::string text;
  for (const std::vector<float>& row : rows) {
    text += fmt::format("{}{:.6g}", text.empty() ? "" : " ", fmt::join(row, ","));
  }
  return text;
}

std::string format_line(const TranslateFlags& flags, std::size_t number, const std::vector<Translation>& translations) {
  std::string text;
  for (const Translation& t : translations) {
    if (flags.is_list()) text += fmt::format("{} ||| ", number);
    text += flags.pieces ? fmt::format("{}", fmt::join(t.pieces, " ")) : t.text;
    if (flags.search.alignment) {
      text += fmt::format(" ||| {}", format_alignment(flags.pieces ? t.piece_alignment : t.alignment));
    }
    if (flags.search.soft_alignment) text += fmt::format(" ||| {}", format_soft_alignment(t.soft_alignment));
    if (flags.token_scores) text += fmt::format(" ||| {:.4f}", fmt::join(t.piece_scores, " "));
    if (flags.is_list() || flags.scores) {
      text += fmt::format(" ||| F0= {:.4f} ||| {:.4f}", t.log_probability, t.score);
    }
    text += '\n';
  }
  return text;
}

// Lines of the input, each with its line of the prefixes.
class PrefixedLines {
 public:
  PrefixedLines(const std::string& input, const std::string& prefixes) : input_(open_lines(input)), name_(prefixes) {
    if (!prefixes.empty()) prefixes_ = open_lines(prefixes);
  }

  bool next(Index most, std::vector<Line>& lines) {
    lines.clear();
    std::vector<std::string> texts;
    if (!input_->next(most, texts)) {
      if (prefixes_ != nullptr && prefixes_->next(1, texts)) refuse("more lines than");
      return false;
    }
    for (std::string& text : texts) lines.push_back({std::move(text)});
    if (prefixes_ != nullptr) add_prefixes(lines);
    return true;
  }

 private:
  void add_prefixes(std::vector<Line>& lines) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < lines.size();) {
      if (!prefixes_->next(static_cast<Index>(lines.size() - i), some)) refuse("fewer lines than");
      for (std::string& prefix : some) lines[i++].prefix = std::move(prefix);
    }
  }
  [[noreturn]] void refuse(const char* how) const {
    throw Error(fmt::format("'{}' has {} the input; give one prefix for each line, blank for none", name_, how));
  }

  std::unique_ptr<LineSource> input_, prefixes_;
  std::string name_;
};

// What is read from its beginning, if that is a file: lines to come can then be counted.
std::string countable_input(const std::string& input) {
  if (input.empty() && lseek(STDIN_FILENO, 0, SEEK_CUR) != 0) return "";
  const std::filesystem::path path = input.empty() ? "/proc/self/fd/0" : input;
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? path.string() : "";
}

// Notes about lines and, where the input is a file, progress. A bar would run into translations that are shown on the
// same terminal.
class Teller {
 public:
  explicit Teller(const TranslateFlags& flags) : quiet_(flags.quiet) {
    const bool shown = flags.output.empty() && isatty(STDOUT_FILENO) != 0;
    const std::string file = quiet_ || shown ? "" : countable_input(flags.input);
    if (!file.empty()) progress_.emplace("translating", count_lines(file), 0, QuickWork::silent);
  }

  void done(std::size_t lines) {
    if (progress_) progress_->show(static_cast<Index>(lines));
  }
  void note(std::size_t line, const std::string& text) {
    if (quiet_) return;
    const std::string whole = fmt::format("heed: line {} {}", line + 1, text);
    if (progress_) return progress_->print(whole);
    say(whole);
  }

 private:
  bool quiet_;
  std::optional<Progress> progress_;
};

void translate(const TranslateFlags& flags) {
  end_at_closed_pipe();
  flags.check_before_load();
  const Translator translator = flags.model.load();
  const SearchOptions options = flags.search_options(translator.default_options());
  PrefixedLines source(flags.input, flags.prefix);
  TextOutput output(flags.output);
  Teller teller(flags);
  Index most = flags.model.options.batch;
  translator.translate({[&](std::vector<Line>& lines) {
                          return source.next(std::exchange(most, batches_ahead * flags.model.options.batch), lines);
                        },
                        [&](std::size_t line, const std::vector<Translation>& translations) {
                          output.write(format_line(flags, line, translations));
                          teller.done(line + 1);
                        },
                        [&](std::size_t line, const std::string& note) { teller.note(line, note); }},
                       options);
  output.finish();
}

}  // namespace

void add_translate_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("translate", "Translate lines of text");
  const auto flags = std::make_shared<TranslateFlags>(*command);
  command->callback([flags] { translate(*flags); });
}

}  // namespace heed::cli
