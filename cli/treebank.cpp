// heed treebank: checks files of parse trees, and converts between trees, words and linearisations.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "base/progress.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "cli/signals.h"
#include "cli/text_output.h"
#include "heed/error.h"
#include "text/utf8.h"
#include "treebank/check.h"
#include "treebank/reader.h"
#include "trees/linearise.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using namespace treebank;

struct CheckTreesFlags {
  explicit CheckTreesFlags(CLI::App& command) {
    command
        .add_option("FILES", files, "One or two files of trees, such as training and development; plain, .gz or .zst")
        ->required()
        ->expected(1, 2);
    command.add_option("--examples", examples, "Examples per problem")
        ->capture_default_str()
        ->check(CLI::Range(0, 1000));
    command.add_flag("--json", json, "Print one JSON object on standard output");
  }

  std::vector<std::string> files;
  int examples = 3;
  bool json = false;
};

struct ConvertFlags {
  explicit ConvertFlags(CLI::App& command, const char* what) {
    command.add_option("FILE", input, fmt::format("{}, one a line; plain, .gz or .zst [standard input]", what));
    command.add_option("-o,--output", output, "Output file, created when all is done [standard output]");
  }

  void add_form(CLI::App& command) {
    command.add_option("--form", form, "Form of the linearisation: tags, xx or short")->capture_default_str();
  }

  // For messages.
  std::string name() const { return input.empty() ? "standard input" : input; }

  std::string input, output;
  std::string form = "tags";
};

struct DelineariseFlags : ConvertFlags {
  explicit DelineariseFlags(CLI::App& command) : ConvertFlags(command, "Linearisations") {
    add_form(command);
    command.add_option("--words", words, "File with the words of each tree, one sentence a line, separated by spaces")
        ->required();
    command.add_flag("--repair", repair, "Make a tree of malformed lines as well, and count them");
  }

  std::string words;
  bool repair = false;
};

// A progress bar for work that takes longer than a moment.
class PatientProgress {
 public:
  PatientProgress(const char* what, Index total) : progress_(what, total, 0, QuickWork::silent) {}

  void show(Index done) {
    if (Clock::now() - start_ > patience) progress_.show(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds patience{1};

  Progress progress_;
  Clock::time_point start_ = Clock::now();
};

nlohmann::ordered_json counts_json(const std::map<std::string, Index>& counts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, count] : counts) out[name] = count;
  return out;
}

nlohmann::ordered_json file_json(const FileReport& report, bool is_second) {
  nlohmann::ordered_json problems = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < fault_count; ++i) {
    const FaultCount& found = report.faults[i];
    if (found.count == 0) continue;
    nlohmann::ordered_json examples = nlohmann::ordered_json::array();
    for (const FaultExample& e : found.examples) {
      examples.push_back({{"line", e.line}, {"byte", e.byte}, {"detail", e.text}});
    }
    problems.push_back({{"name", about(static_cast<Fault>(i)).name}, {"count", found.count}, {"examples", examples}});
  }
  nlohmann::ordered_json out{{"file", report.name},
                             {"lines", report.lines},
                             {"blank", report.blank},
                             {"trees", report.trees},
                             {"words", report.words},
                             {"longest", {{"words", report.longest}, {"line", report.longest_line}}},
                             {"deepest", {{"depth", report.deepest}, {"line", report.deepest_line}}},
                             {"depth_sum", report.depth},
                             {"labels", counts_json(report.labels)},
                             {"tags", counts_json(report.tags)},
                             {"repeated", report.repeated},
                             {"problems", problems}};
  if (is_second) {
    out["in_first"] = report.in_first;
    out["in_first_longer_than_5"] = report.in_first_long;
  }
  return out;
}

void check(const CheckTreesFlags& flags) {
  constexpr Index steps = 1000;
  PatientProgress progress("checking", steps);
  CheckOptions options;
  options.examples = flags.examples;
  options.progress = [&](double share) { progress.show(std::min(static_cast<Index>(share * steps), steps - 1)); };
  const std::vector<fs::path> files(flags.files.begin(), flags.files.end());
  const std::vector<FileReport> reports = check_treebanks(files, options);
  progress.show(steps);
  if (flags.json) {
    nlohmann::ordered_json out{{"files", nlohmann::ordered_json::array()}};
    for (const FileReport& report : reports) out["files"].push_back(file_json(report, &report != &reports[0]));
    out["sound"] = is_sound(reports);
    out["verdict"] = verdict(reports);
    fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}{}\n", report_text(reports), verdict(reports));
  }
  if (!is_sound(reports)) throw Error(verdict(reports));
}

// Calls convert(line, number), which returns the output line, for each line in order, and at_end(lines) before the
// output is in its place.
template <class Convert, class AtEnd>
void convert_lines(const ConvertFlags& flags, const Convert& convert, const AtEnd& at_end) {
  end_at_closed_pipe();
  const auto source = open_lines(flags.input);
  TextOutput output(flags.output);
  std::error_code error;
  const bool shown = flags.output.empty() && isatty(STDOUT_FILENO) != 0;
  const bool countable = !flags.input.empty() && fs::is_regular_file(flags.input, error);
  std::optional<PatientProgress> progress;
  if (countable && !shown) progress.emplace("converting", count_lines(flags.input));
  Index number = 0;
  for (std::vector<std::string> lines; source->next(lines_at_a_time, lines);) {
    for (const std::string& line : lines) output.write(convert(line, ++number) + "\n");
    if (progress) progress->show(number);
  }
  at_end(number);
  output.finish();
}
template <class Convert>
void convert_lines(const ConvertFlags& flags, const Convert& convert) {
  convert_lines(flags, convert, [](Index) {});
}

Tree parse_line(const std::string& line, const std::string& file, Index number) {
  Tree tree;
  if (const auto flaw = parse_tree(line, tree)) refuse_line(file, number, *flaw);
  return tree;
}

void print_words(const ConvertFlags& flags) {
  convert_lines(flags, [&](const std::string& line, Index number) {
    return fmt::format("{}", fmt::join(words_of(parse_line(line, flags.name(), number)), " "));
  });
}

void linearise_trees(const ConvertFlags& flags) {
  const Form form = from_name<Form>("form", flags.form);
  convert_lines(flags, [&](const std::string& line, Index number) {
    return linearise(parse_line(line, flags.name(), number), form);
  });
}

// The words of each line, in step with the linearisations.
class WordLines {
 public:
  explicit WordLines(const std::string& path) : name_(path), source_(open_lines(path)) {}

  const std::string& next(Index number, const std::string& other) {
    if (at_ == lines_.size()) {
      at_ = 0;
      if (!source_->next(lines_at_a_time, lines_)) {
        throw Error(fmt::format("'{}' has {}, '{}' has more; each linearisation needs its words", name_,
                                counted(number - 1, "line"), other));
      }
    }
    if (const auto invalid = find_invalid_utf8(lines_[at_])) {
      throw Error(fmt::format("'{}': line {} is not UTF-8 (byte {}); convert the file", name_, number, *invalid + 1));
    }
    return lines_[at_++];
  }
  void check_end(Index number, const std::string& other) {
    if (at_ < lines_.size() || source_->next(1, lines_)) {
      throw Error(fmt::format("'{}' has {}, '{}' has more; each linearisation needs its words", other,
                              counted(number, "line"), name_));
    }
  }

 private:
  std::string name_;
  std::unique_ptr<LineSource> source_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

void delinearise_lines(const DelineariseFlags& flags) {
  const Form form = from_name<Form>("form", flags.form);
  WordLines words(flags.words);
  Index malformed = 0;
  const auto convert = [&](const std::string& line, Index number) {
    const std::string& sentence = words.next(number, flags.name());
    const std::vector<std::string_view> split = split_at_spaces(sentence);
    Tree tree;
    if (const auto flaw = delinearise(line, split, form, tree)) {
      if (!flags.repair) refuse_line(flags.name(), number, *flaw);
      ++malformed;
      tree = repair(line, split, form);
    }
    return write_tree(tree);
  };
  convert_lines(flags, convert, [&](Index lines) {
    words.check_end(lines, flags.name());
    if (flags.repair) say(fmt::format("heed: repaired {} of {}", malformed, counted(lines, "line")));
  });
}

}  // namespace

void add_treebank_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("treebank", "Check and convert parse trees");
  command->require_subcommand(1);
  CLI::App* check_command = command->add_subcommand("check", "Count trees, words and labels, and find bad lines");
  const auto check_flags = std::make_shared<CheckTreesFlags>(*check_command);
  check_command->callback([check_flags] { check(*check_flags); });

  CLI::App* words_command = command->add_subcommand("words", "Print the words of each tree");
  const auto words_flags = std::make_shared<ConvertFlags>(*words_command, "Trees");
  words_command->callback([words_flags] { print_words(*words_flags); });

  CLI::App* linearise_command = command->add_subcommand("linearise", "Print each tree as symbols without words");
  const auto linearise_flags = std::make_shared<ConvertFlags>(*linearise_command, "Trees");
  linearise_flags->add_form(*linearise_command);
  linearise_command->callback([linearise_flags] { linearise_trees(*linearise_flags); });

  CLI::App* delinearise_command = command->add_subcommand("delinearise", "Make trees of linearisations and words");
  const auto delinearise_flags = std::make_shared<DelineariseFlags>(*delinearise_command);
  delinearise_command->callback([delinearise_flags] { delinearise_lines(*delinearise_flags); });
}

}  // namespace heed::cli
