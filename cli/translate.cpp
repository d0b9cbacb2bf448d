// heed translate: translates lines of text.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/line_teller.h"
#include "cli/load_flags.h"
#include "cli/scoring_flags.h"
#include "cli/signals.h"
#include "cli/text_output.h"
#include "heed/translator.h"

namespace heed::cli {
namespace {

struct TranslateFlags {
  explicit TranslateFlags(CLI::App& command) : model(command), scoring(command) {
    command.add_option("-i,--input", input, "Input file, one sentence per line; plain, .gz or .zst [standard input]");
    command.add_option("-o,--output", output, "Output file, created when all is done [standard output]");
    command.add_option("--beam", beam, "Beam size; 1: greedy [the model's, or 4]");
    command
        .add_option("--extra-length", search.extra_length,
                    "Maximum length of a translation beyond that of its source, in pieces")
        ->capture_default_str();
    command.add_option("--min-length", search.min_length, "Minimum length of a translation, in pieces")
        ->capture_default_str();
    command
        .add_option("--max-length", search.max_length,
                    "Maximum length of a translation, in pieces; 0: limited by --extra-length only")
        ->capture_default_str();
    command.add_option("--no-repeat", search.no_repeat, "Never repeat an n-gram of N pieces in a translation; 0: off")
        ->capture_default_str();
    command.add_option("--max-source-length", model.options.max_source_length,
                       "Split lines of more than N pieces into sentences [the length recorded by training, or 512]");
    command.add_option("--shortlist", shortlist, "Consider only the tokens of the model's lexical shortlist, if any")
        ->check(CLI::IsMember({"on", "off"}))
        ->capture_default_str();
    command.add_flag("--suppress-unk", search.suppress_unk, "Never produce <unk>");
    command.add_option("--prefix", prefix,
                       "File of forced prefixes, one per line: each translation begins with its prefix");
    n_best_option =
        command.add_option("--n-best", n_best, "Show the N best translations of each line [the beam]")->expected(0, 1);
    alternatives_option = command.add_option("--alternatives", alternatives,
                                             "Show N translations that differ right after the prefix [the beam]");
    alternatives_option->expected(0, 1)->excludes(n_best_option);
    command.add_flag("--sample", search.sampling.on, "Sample instead of searching; --n-best N draws N translations");
    command
        .add_option("--temperature", search.sampling.temperature,
                    "Sampling temperature: below 1 sharper, above 1 flatter")
        ->capture_default_str();
    command.add_option("--top-k", search.sampling.top_k, "Sample from the K most probable tokens; 0: from all")
        ->capture_default_str();
    command
        .add_option("--top-p", search.sampling.top_p,
                    "Sample from the fewest tokens whose probabilities sum to P (nucleus sampling)")
        ->capture_default_str();
    command.add_option("--seed", search.sampling.seed, "Random seed of sampling")->capture_default_str();
    command.add_flag("--scores", scores, "Show the log-probability and the score of each translation");
    command.add_flag("--token-scores", token_scores, "Show the log-probability of each piece and of </s>");
    command.add_flag("--alignment", search.alignment, "Show the source word that each target word attends to most");
    command.add_flag("--soft-alignment", search.soft_alignment,
                     "Show attention weights, 'w,w,w w,w,w …': a row per target piece and </s>, a weight per source "
                     "piece and </s>");
    command.add_option("--alignment-layer", search.alignment_layer,
                       "Decoder layer, from 1, to take alignments from [the last but one]");
    command.add_flag("--pieces", pieces, "Show pieces instead of text");
    command.add_flag("--quiet", quiet, "Print only errors on standard error");
  }

  bool is_list() const { return n_best_option->count() > 0 || alternatives_option->count() > 0; }

  // Rejects options that are invalid for any model; a beam that is not given counts as the widest.
  void check_before_load() const { search_options({.beam = SearchOptions::most_beam}); }

  // Options that are not given default to the model's.
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
    all.shortlist = shortlist == "on";
    all.scores = scores || token_scores || is_list();
    check(all);
    return all;
  }

  LoadFlags model;
  ScoringFlags scoring;
  std::string input, output, prefix;
  std::string shortlist = "on";
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

// Rows are separated by spaces, weights by commas.
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

// Input lines, each with its forced prefix.
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
    throw Error(fmt::format("'{}' has {} the input; write one prefix per line, blank for none", name_, how));
  }

  std::unique_ptr<LineSource> input_, prefixes_;
  std::string name_;
};

void translate(const TranslateFlags& flags) {
  end_at_closed_pipe();
  flags.check_before_load();
  const Translator translator = flags.model.load<Translator>();
  const SearchOptions options = flags.search_options(translator.default_options());
  PrefixedLines source(flags.input, flags.prefix);
  TextOutput output(flags.output);
  LineTeller teller("translating", {flags.input, flags.output}, flags.quiet);
  Index most = flags.model.options.batch;
  translator.translate(
      {[&](std::vector<Line>& lines) { return source.next(std::exchange(most, flags.model.lines_at_a_time()), lines); },
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
