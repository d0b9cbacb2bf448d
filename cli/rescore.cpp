// heed rescore: the log-probability that a model gives to translations that exist already.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/model_options.h"
#include "cli/signals.h"
#include "cli/text_output.h"

namespace heed::cli {
namespace {

constexpr Index lines_at_a_time = 1024;

struct RescoreFlags {
  explicit RescoreFlags(CLI::App& command) : model(command) {
    command.get_option("--model")->allow_extra_args(false);  // what follows one folder are the files
    command.add_option("source", source, "File of sentences, one a line, plain, .gz or .zst")->required();
    command.add_option("target", target, "File of their translations")->required();
    command.add_option("-o,--output", output, "File that appears when all is done [standard output]");
    command.add_flag("--word-scores", word_scores, "Show the log-probability of each piece, and of </s>, too");
  }

  ModelFlagsForUse model;
  std::string source, target, output;
  bool word_scores = false;
};

// Lines behind the first `done` of the file.
std::vector<Translation> rescore_block(const Translator& translator, std::span<const Line> lines,
                                       std::span<const std::string> translations, const std::string& file, Index done) {
  try {
    return translator.rescore(lines, translations);
  } catch (const Error& error) {
    throw Error(done == 0 ? fmt::format("'{}': {}", file, error.what())
                          : fmt::format("'{}' behind line {}: {}", file, done, error.what()));
  }
}

void rescore(const RescoreFlags& flags) {
  end_at_closed_pipe();
  const Translator translator = flags.model.load();
  const std::unique_ptr<LineSource> sources = open_lines(flags.source);
  const std::unique_ptr<LineSource> targets = open_lines(flags.target);
  TextOutput output(flags.output);
  Index done = 0;
  for (std::vector<std::string> texts, translations; sources->next(lines_at_a_time, texts);) {
    std::vector<Line> lines;
    for (std::string& text : texts) lines.push_back({std::move(text)});
    targets->next(static_cast<Index>(lines.size()), translations);
    if (translations.size() != lines.size()) {
      throw Error(fmt::format("'{}' ends after line {} and '{}' goes on; give as many lines in both", flags.target,
                              done + static_cast<Index>(translations.size()), flags.source));
    }
    for (const Translation& scored : rescore_block(translator, lines, translations, flags.source, done)) {
      output.write(flags.word_scores
                       ? fmt::format("{:.4f} ||| {:.4f}\n", scored.log_probability, fmt::join(scored.piece_scores, " "))
                       : fmt::format("{:.4f}\n", scored.log_probability));
    }
    done += static_cast<Index>(lines.size());
  }
  if (std::vector<std::string> rest; targets->next(1, rest)) {
    throw Error(fmt::format("'{}' ends after line {} and '{}' goes on; give as many lines in both", flags.source, done,
                            flags.target));
  }
  output.finish();
}

}  // namespace

void add_rescore_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("rescore", "Log-probabilities of given translations");
  const auto flags = std::make_shared<RescoreFlags>(*command);
  command->callback([flags] { rescore(*flags); });
}

}  // namespace heed::cli
