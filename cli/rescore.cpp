// heed rescore: log-probabilities of existing translations under a model, for one translation per source line or an
// n-best list.
#include <fmt/format.h>

#include <cmath>

#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/load_flags.h"
#include "cli/n_best_list.h"
#include "cli/scoring_flags.h"
#include "cli/signals.h"
#include "cli/text_output.h"
#include "decoding/search.h"
#include "heed/translator.h"

namespace heed::cli {
namespace {

std::string not_a_name(const std::string& feature) {
  const bool fits = !feature.empty() && feature.find_first_of(" \t=|") == std::string::npos;
  return fits ? "" : "'" + feature + "' is not a feature name; use letters and digits";
}

struct RescoreFlags {
  explicit RescoreFlags(CLI::App& command) : model(command), scoring(command) {
    command.get_option("--model")->allow_extra_args(false);  // files follow
    command.add_option("source", source, "Source file, one sentence per line; plain, .gz or .zst")->required();
    command.add_option("target", target, "File of translations; with --n-best, an n-best list")->required();
    command.add_option("-o,--output", output, "Output file, created when all is done [standard output]");
    CLI::Option* token_option =
        command.add_flag("--token-scores", token_scores, "Also show the log-probability of each piece and of </s>");
    CLI::Option* n_best_option = command.add_flag(
        "--n-best", n_best,
        "Read TARGET as an n-best list, 'number ||| text ||| …', and print it with the model's scores");
    command.add_option("--feature", feature, "Feature of the n-best list to set to the log-probability")
        ->capture_default_str()
        ->check(CLI::Validator(not_a_name, ""))
        ->needs(n_best_option);
    token_option->excludes(n_best_option);
    command
        .add_flag("--summary", summary,
                  "Print only totals: sentences, target tokens with </s>, log-probability, perplexity")
        ->excludes(token_option);
  }

  LoadFlags model;
  ScoringFlags scoring;
  std::string source, target, output;
  std::string feature = "F0";
  bool token_scores = false;
  bool n_best = false;
  bool summary = false;
};

// Scores pairs, writes the output and accumulates totals.
class Rescorer {
 public:
  explicit Rescorer(const RescoreFlags& flags)
      : flags_(flags), translator_(flags.model.load<Translator>()), output_(flags.output) {}

  // `format(i, scored)` is the output line of pair i; `file` is named in the error if one cannot be scored.
  template <class Format>
  void add(std::span<const Line> sources, std::span<const std::string> targets, const std::string& file,
           const Format& format) {
    const std::vector<Translation> scored = score(sources, targets, file);
    for (std::size_t i = 0; i < scored.size(); ++i) {
      tokens_ += static_cast<Index>(scored[i].piece_scores.size());
      log_probability_ += scored[i].log_probability;
      if (!flags_.summary) output_.write(format(i, scored[i]) + '\n');
    }
    pairs_ += static_cast<Index>(scored.size());
  }

  Index pairs() const { return pairs_; }
  SearchOptions scoring() const { return flags_.scoring.over(translator_.default_options()); }

  void finish() {
    if (flags_.summary) {
      if (tokens_ == 0) throw Error(fmt::format("'{}' is empty; there is nothing to sum up", flags_.target));
      output_.write(fmt::format("sentences {} tokens {} log-probability {:.4f} perplexity {:.4f}\n", pairs_, tokens_,
                                log_probability_, std::exp(-log_probability_ / static_cast<double>(tokens_))));
    }
    output_.finish();
  }

 private:
  std::vector<Translation> score(std::span<const Line> sources, std::span<const std::string> targets,
                                 const std::string& file) const {
    try {
      return translator_.rescore(sources, targets);
    } catch (const Error& error) {
      throw Error(pairs_ == 0 ? fmt::format("'{}': {}", file, error.what())
                              : fmt::format("'{}' after line {}: {}", file, pairs_, error.what()));
    }
  }

  const RescoreFlags& flags_;
  Translator translator_;
  TextOutput output_;
  Index pairs_ = 0;
  Index tokens_ = 0;  // with </s>
  double log_probability_ = 0.0;
};

void rescore_pairs(const RescoreFlags& flags, Rescorer& rescorer) {
  const std::unique_ptr<LineSource> sources = open_lines(flags.source);
  const std::unique_ptr<LineSource> targets = open_lines(flags.target);
  for (std::vector<std::string> texts, translations; sources->next(lines_at_a_time, texts);) {
    std::vector<Line> lines;
    for (std::string& text : texts) lines.push_back({std::move(text)});
    targets->next(static_cast<Index>(lines.size()), translations);
    if (translations.size() != lines.size()) {
      throw Error(fmt::format("'{}' ends after line {}, but '{}' continues; both need the same number of lines",
                              flags.target, rescorer.pairs() + static_cast<Index>(translations.size()), flags.source));
    }
    rescorer.add(lines, translations, flags.source, [&](std::size_t /*i*/, const Translation& scored) {
      return flags.token_scores
                 ? fmt::format("{:.4f} ||| {:.4f}", scored.log_probability, fmt::join(scored.piece_scores, " "))
                 : fmt::format("{:.4f}", scored.log_probability);
    });
  }
  if (std::vector<std::string> rest; targets->next(1, rest)) {
    throw Error(fmt::format("'{}' ends after line {}, but '{}' continues; both need the same number of lines",
                            flags.source, rescorer.pairs(), flags.target));
  }
}

// Source lines by number; numbers must not decrease.
class NumberedLines {
 public:
  explicit NumberedLines(const std::string& file) : file_(file), lines_(open_lines(file)) {}

  const std::string& at(std::size_t number) {
    if (number < first_ + at_) throw Error(fmt::format("number {} is out of order; sort the list", number));
    while (number >= first_ + block_.size()) {
      first_ += block_.size();
      if (!lines_->next(lines_at_a_time, block_)) {
        throw Error(fmt::format("number {} is past the end of '{}', which has {} lines; numbers start from 0", number,
                                file_, first_));
      }
    }
    at_ = number - first_;
    return block_[at_];
  }

 private:
  std::string file_;
  std::unique_ptr<LineSource> lines_;
  std::vector<std::string> block_;
  std::size_t first_ = 0;  // number of the block's first line
  std::size_t at_ = 0;     // last line returned, within the block
};

void rescore_list(const RescoreFlags& flags, Rescorer& rescorer) {
  NumberedLines sources(flags.source);
  const std::unique_ptr<LineSource> list = open_lines(flags.target);
  for (std::vector<std::string> texts; list->next(lines_at_a_time, texts);) {
    std::vector<NBestLine> lines;
    std::vector<Line> of_source;
    std::vector<std::string> translations;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      try {
        lines.push_back(parse_n_best(texts[i]));
        of_source.push_back({sources.at(lines.back().number)});
        translations.push_back(lines.back().text);
      } catch (const Error& error) {
        throw Error(
            fmt::format("'{}': line {}: {}", flags.target, rescorer.pairs() + static_cast<Index>(i) + 1, error.what()));
      }
    }
    rescorer.add(of_source, translations, flags.target, [&](std::size_t i, const Translation& scored) {
      const auto length = static_cast<Index>(scored.piece_scores.size());
      set_score(lines[i], flags.feature, scored.log_probability,
                scored.log_probability / length_penalty(length, rescorer.scoring()));
      return format_n_best(lines[i]);
    });
  }
}

void rescore(const RescoreFlags& flags) {
  end_at_closed_pipe();
  check(flags.scoring.over({}));
  Rescorer rescorer(flags);
  if (flags.n_best) {
    rescore_list(flags, rescorer);
  } else {
    rescore_pairs(flags, rescorer);
  }
  rescorer.finish();
}

}  // namespace

void add_rescore_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("rescore", "Compute log-probabilities of existing translations");
  const auto flags = std::make_shared<RescoreFlags>(*command);
  command->callback([flags] { rescore(*flags); });
}

}  // namespace heed::cli
