// heed parse: sentences in, their constituency trees out.
#include <fmt/format.h>

#include "base/figures.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/line_teller.h"
#include "cli/load_flags.h"
#include "cli/scoring_flags.h"
#include "cli/signals.h"
#include "cli/text_output.h"
#include "heed/parser.h"
#include "look/tree_page.h"
#include "trees/draw.h"

namespace heed {

// As the flag --constrain has it.
template <>
struct EnumNames<Constraint> {
  static constexpr std::array names{"on", "off"};
};

namespace cli {
namespace {

struct ParseFlags {
  explicit ParseFlags(CLI::App& command) : model(command), scoring(command) {
    command.add_option("-i,--input", input,
                       "Sentences, one per line, words separated by spaces; plain, .gz or .zst [standard input]");
    command.add_option("-o,--output", output, "Output file, created when all is done [standard output]");
    command.add_option("--beam", beam, "Beam size; 1: greedy [the model's, or 21]");
    command
        .add_option("--extra-length", extra_length,
                    "Maximum number of symbols of a tree beyond the pieces of its sentence")
        ->capture_default_str();
    command.add_option("--max-source-length", model.options.max_source_length,
                       "Parse lines of more than N pieces in parts [512]");
    command
        .add_option("--constrain", constrain,
                    "on: search only among well-formed trees with all words; off: repair what the model writes")
        ->capture_default_str();
    n_best_option =
        command.add_option("--n-best", n_best, "Show the N best trees of each line [the beam]")->expected(0, 1);
    command.add_flag("--scores", scores, "Show the log-probability and the score of each tree");
    command.add_flag("--pretty", pretty, "Draw trees over several lines, with a blank line after each");
    command.add_option("--html", html, "Write a page with a picture of the best tree of each line to this file, too");
    command.add_flag("--quiet", quiet, "Print only errors on standard error");
  }

  // Options that are not given default to the model's.
  ParseOptions options(ParseOptions all) const {
    all.constraint = from_name<Constraint>("constrain", constrain);
    if (beam) all.beam = *beam;
    const SearchOptions scored = scoring.over({.alpha = all.alpha, .length_penalty = all.length_penalty});
    all.alpha = scored.alpha;
    all.length_penalty = scored.length_penalty;
    all.extra_length = extra_length;
    if (n_best_option->count() > 0) all.n_best = n_best.value_or(all.beam);
    check({.beam = all.beam, .alpha = all.alpha, .n_best = all.n_best, .extra_length = all.extra_length});
    return all;
  }

  bool is_list() const { return n_best_option->count() > 0; }

  LoadFlags model;
  ScoringFlags scoring;
  std::string input, output, html;
  std::string constrain = "on";
  std::optional<int> beam, n_best;
  int extra_length = ParseOptions().extra_length;
  CLI::Option* n_best_option = nullptr;
  bool scores = false;
  bool pretty = false;
  bool quiet = false;
};

std::string drawn(const std::string& line) {
  treebank::Tree tree;
  treebank::parse_tree(line, tree);
  return treebank::draw(tree);
}

std::string format_line(const ParseFlags& flags, std::size_t number, const std::vector<Parse>& parses) {
  std::string text;
  for (const Parse& parse : parses) {
    std::vector<std::string> fields;
    if (flags.is_list()) fields.push_back(std::to_string(number));
    if (!flags.pretty) fields.push_back(parse.tree);
    if (flags.is_list() || flags.scores) {
      fields.push_back(fmt::format("F0= {:.4f} ||| {:.4f}", parse.log_probability, parse.score));
    }
    if (!fields.empty()) text += fmt::format("{}\n", fmt::join(fields, " ||| "));
    if (flags.pretty) text += drawn(parse.tree) + '\n';
  }
  return text;
}

void parse(const ParseFlags& flags) {
  end_at_closed_pipe();
  flags.options({.beam = SearchOptions::most_beam});  // rejects what is invalid for any model
  const Parser parser = flags.model.load<Parser>();
  const ParseOptions options = flags.options(parser.default_options());
  const auto source = open_lines(flags.input);
  TextOutput output(flags.output);
  std::optional<TextOutput> html;
  if (!flags.html.empty()) html.emplace(flags.html);
  std::vector<Parse> best;
  LineTeller teller("parsing", {flags.input, flags.output}, flags.quiet);
  Index most = flags.model.options.batch;
  Index lines = 0;
  Index repaired = 0;
  parser.parse({[&](std::vector<std::string>& sentences) {
                  return source->next(std::exchange(most, flags.model.lines_at_a_time()), sentences);
                },
                [&](std::size_t line, const std::vector<Parse>& parses) {
                  output.write(format_line(flags, line, parses));
                  if (html) best.push_back(parses.front());
                  if (!parses.front().well_formed) ++repaired;
                  ++lines;
                  teller.done(line + 1);
                },
                [&](std::size_t line, const std::string& note) { teller.note(line, note); }},
               options);
  if (options.constraint == Constraint::none && !flags.quiet)
    say(fmt::format("heed: repaired {} of {}", repaired, counted(lines, "line")));
  if (html) {
    html->write(look::render_trees(best));
    html->finish();
  }
  output.finish();
}

}  // namespace

void add_parse_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("parse", "Parse sentences into constituency trees");
  const auto flags = std::make_shared<ParseFlags>(*command);
  command->callback([flags] { parse(*flags); });
}

}  // namespace cli
}  // namespace heed
