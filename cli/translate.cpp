// heed translate: lines of text in, their translations out.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "base/progress.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/text_output.h"
#include "decoding/model_folder.h"
#include "decoding/translator.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

// Batches that are read at a time, so that sentences can wait for a place in the batch. The first answers come after
// one batch alone.
constexpr Index batches_ahead = 16;

struct TranslateFlags {
  explicit TranslateFlags(CLI::App& command) {
    command.add_option("-m,--model", model, "Folder of the model")->required();
    command.add_option("-i,--input", input, "File of sentences, one a line, plain, .gz or .zst [standard input]");
    command.add_option("-o,--output", output, "File that appears when all is done [standard output]");
    command.add_option("--beam", options.search.beam, "Hypotheses kept; 1: greedy")->capture_default_str();
    command.add_option("--alpha", options.search.alpha, "Strength of the length penalty")->capture_default_str();
    command.add_option("--batch", options.search.batch, "Sentences at work side by side")->capture_default_str();
    command.add_option("--threads", threads, "Threads")->capture_default_str()->check(CLI::Range(1, 1024));
    command.add_option("--checkpoint", checkpoint, "best, last or average [model.safetensors]");
    n_best_option =
        command.add_option("--n-best", n_best, "Show the N best translations of each line [the beam]")->expected(0, 1);
    command.add_flag("--scores", scores, "Show the log-probability and the score behind each translation");
    command.add_flag("--pieces", options.pieces, "Show the pieces, not the text");
  }

  bool lists_n_best() const { return n_best_option->count() > 0; }

  TranslatorOptions translator_options() const {
    TranslatorOptions all = options;
    if (lists_n_best()) all.search.n_best = n_best.value_or(all.search.beam);
    check(all.search);
    return all;
  }

  std::string model, input, output, checkpoint;
  TranslatorOptions options;
  int threads = available_cores();
  CLI::Option* n_best_option = nullptr;
  std::optional<Index> n_best;
  bool scores = false;
};

std::string format_line(const TranslateFlags& flags, Index number, const std::vector<Translation>& translations) {
  std::string text;
  for (const Translation& t : translations) {
    if (flags.lists_n_best()) text += fmt::format("{} ||| ", number);
    text += t.text;
    if (flags.lists_n_best() || flags.scores) {
      text += fmt::format(" ||| F0= {:.4f} ||| {:.4f}", t.log_probability, t.score);
    }
    text += '\n';
  }
  return text;
}

void translate(const TranslateFlags& flags) {
  // Also where the caller has switched it off: a reader that closes the pipe ends heed without a word.
  std::signal(SIGPIPE, SIG_DFL);
  const TranslatorOptions options = flags.translator_options();
  ThreadPool threads(flags.threads);
  Arena arena;
  const Workspace workspace{threads, arena};
  const ModelFolder folder = load_model_folder(flags.model, flags.checkpoint, workspace);
  const Translator translator(*folder.model, folder.tokenizers, options, workspace);

  const std::unique_ptr<LineSource> source = open_lines(flags.input);
  TextOutput output(flags.output);
  std::optional<Progress> progress;
  if (std::filesystem::is_regular_file(flags.input) && isatty(STDERR_FILENO) != 0) {
    progress.emplace("translating", count_lines(flags.input));
  }
  Index done = 0;  // lines before those at hand
  Index most = options.search.batch;
  for (std::vector<std::string> lines; source->next(most, lines); done += static_cast<Index>(lines.size())) {
    translator.translate(
        lines,
        [&](Index line, const std::vector<Translation>& translations) {
          output.write(format_line(flags, done + line, translations));
          if (progress) progress->show(done + line + 1);
        },
        [&](Index line, const std::string& note) {
          const std::string text = fmt::format("heed: line {} {}", done + line + 1, note);
          if (progress) return progress->print(text);
          fmt::print(stderr, "{}\n", text);
        });
    most = batches_ahead * options.search.batch;
  }
  output.finish();
}

}  // namespace

void add_translate_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("translate", "Translate lines of text");
  const auto flags = std::make_shared<TranslateFlags>(*command);
  command->callback([flags] { translate(*flags); });
}

}  // namespace heed::cli
