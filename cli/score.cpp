// heed score: BLEU, chrF and TER, identical to sacreBLEU, and significance tests between systems.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/figures.h"
#include "cli/commands.h"
#include "cli/line_source.h"
#include "heed/error.h"
#include "metrics/bleu.h"
#include "metrics/bootstrap.h"
#include "metrics/brackets.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace heed::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> metric_names{"bleu", "chrf", "chrf++", "ter", "brackets"};

struct ScoreFlags {
  explicit ScoreFlags(CLI::App& command) {
    command.add_option("REF", references, "Reference files, one per reference set, before -i")->required();
    command.add_option("-i,--input", inputs, "Hypothesis files, one per system [standard input]")->expected(1, -1);
    command
        .add_option("--metric", metrics,
                    "Comma-separated list of bleu, chrf, chrf++, ter and, for parse trees, brackets [bleu; with --json "
                    "bleu,chrf,ter]")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--tokenize", tokenizer, "BLEU tokenization: 13a, intl, char or none")->capture_default_str();
    command.add_flag("--lowercase", bleu.lowercase, "Ignore case in BLEU");
    command.add_option("--chrf-word-order", chrf.word_order, "Word n-gram order of chrF; 2: chrF++")
        ->capture_default_str()
        ->check(CLI::Range(0, 100));
    command.add_flag("--chrf-lowercase", chrf.lowercase, "Ignore case in chrF");
    command.add_flag("--ter-case-sensitive", ter.case_sensitive, "Respect case in TER");
    command.add_option("--evalb", evalb, "Rules of brackets: a .prm file of EVALB [those of COLLINS.prm]");
    command.add_option("--tags-from", tags_from,
                       "Trees whose tags decide which words brackets leave out: gold, or a file [the hypothesis]");
    command.add_flag("--per-sentence", per_sentence, "Print the brackets of every sentence as well");
    command.add_flag("-b,--score-only", score_only,
                     "Print only the score, after the name if there are several systems");
    command.add_option("-w,--width", digits, "Decimal places")->capture_default_str()->check(CLI::Range(0, 15));
    command.add_flag("--json", json, "Print one JSON object on standard output");
    command.add_flag("--paired-bootstrap", paired, "Test whether each system differs from the first one of -i");
    command.add_option("--samples", bootstrap.samples, "Bootstrap samples")
        ->capture_default_str()
        ->check(CLI::Range(Index{1}, Index{10'000'000}));
    command.add_option("--seed", bootstrap.seed, "Random seed of the bootstrap")->capture_default_str();
  }

  std::vector<std::string> references;
  std::vector<std::string> inputs;
  std::vector<std::string> metrics;
  std::string tokenizer = "13a";
  metrics::BleuOptions bleu;
  metrics::ChrfOptions chrf;
  metrics::TerOptions ter;
  std::string evalb;
  std::string tags_from;
  bool per_sentence = false;
  bool score_only = false;
  int digits = 2;
  bool json = false;
  bool paired = false;
  metrics::BootstrapOptions bootstrap;
};

// The lines of a file or of standard input; only '\n' ends a line, and the last line may lack it.
struct Text {
  std::string name;  // for messages: "reference 'test.en'"
  std::vector<std::string> lines;
};

// An empty path is standard input.
Text read_text(const std::string& name, const std::string& path) {
  Text text{name, {}};
  const auto source = open_lines(path);
  for (std::vector<std::string> lines; source->next(lines_at_a_time, lines);) {
    text.lines.insert(text.lines.end(), lines.begin(), lines.end());
  }
  return text;
}

void check_lines(const Text& hypotheses, const Text& references) {
  if (hypotheses.lines.size() != references.lines.size()) {
    throw Error(fmt::format("{} has {}, but {} has {}; each reference line needs one hypothesis", hypotheses.name,
                            counted(hypotheses.lines.size(), "line"), references.name, references.lines.size()));
  }
  if (hypotheses.lines.empty()) {
    throw Error(fmt::format("{} and {} are empty; there is nothing to score", hypotheses.name, references.name));
  }
}

struct ChosenMetric {
  std::string key;  // in JSON
  metrics::Metric metric;
  std::string signature;
};

metrics::Metric make_bracket_metric(const ScoreFlags& flags) {
  metrics::BracketOptions options;
  if (!flags.evalb.empty()) options.rules = metrics::read_evalb_rules(flags.evalb);
  options.gold_tags = flags.tags_from == "gold";
  if (!flags.tags_from.empty() && !options.gold_tags) {
    options.tag_name = flags.tags_from;
    options.tag_lines =
        std::make_shared<const std::vector<std::string>>(read_text(flags.tags_from, flags.tags_from).lines);
  }
  return metrics::bracket_metric(options);
}

metrics::Metric make_metric(const std::string& name, const ScoreFlags& flags) {
  if (name == "ter") return metrics::ter_metric(flags.ter);
  if (name == "brackets") return make_bracket_metric(flags);
  if (name == "bleu") {
    metrics::BleuOptions options = flags.bleu;
    options.tokenizer = from_name<metrics::Tokenizer>("tokenize", flags.tokenizer);
    return metrics::bleu_metric(options);
  }
  metrics::ChrfOptions options = flags.chrf;
  if (name == "chrf++") options.word_order = 2;
  return metrics::chrf_metric(options);
}

void check_name(const char* what, const std::string& name, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw SettingError(what, fmt::format("{} '{}' is unknown; choose one of {}", what, name, fmt::join(names, ", ")));
}

void check_bracket_flags(const ScoreFlags& flags, const std::vector<std::string>& metrics) {
  const bool wanted = std::find(metrics.begin(), metrics.end(), "brackets") != metrics.end();
  const auto needs_brackets = [&](const char* flag, bool given) {
    if (given && !wanted) throw SettingError(flag, fmt::format("{} needs --metric brackets", flag));
  };
  needs_brackets("evalb", !flags.evalb.empty());
  needs_brackets("tags-from", !flags.tags_from.empty());
  needs_brackets("per-sentence", flags.per_sentence);
  if (wanted && flags.references.size() > 1) {
    throw SettingError("metric", fmt::format("brackets are compared with one gold file, not {}; systems come after -i",
                                             flags.references.size()));
  }
  if (flags.per_sentence && flags.inputs.size() > 1) {
    throw SettingError("per-sentence", fmt::format("per-sentence takes one system, not {}", flags.inputs.size()));
  }
}

std::vector<ChosenMetric> choose_metrics(const ScoreFlags& flags) {
  std::vector<std::string> wanted = flags.metrics;
  if (wanted.empty())
    wanted = flags.json ? std::vector<std::string>{"bleu", "chrf", "ter"} : std::vector<std::string>{"bleu"};
  for (const std::string& name : wanted) check_name("metric", name, metric_names);
  from_name<metrics::Tokenizer>("tokenize", flags.tokenizer);
  check_bracket_flags(flags, wanted);
  std::vector<ChosenMetric> chosen;
  for (const std::string& name : metric_names) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    metrics::Metric metric = make_metric(name, flags);
    std::string signature = metrics::signature(metric, static_cast<Index>(flags.references.size()),
                                               flags.paired ? std::optional(flags.bootstrap) : std::nullopt);
    chosen.push_back({name, std::move(metric), std::move(signature)});
  }
  return chosen;
}

// The results of one system for one metric.
struct Result {
  std::vector<double> sums;
  double score = 0.0;
  std::optional<metrics::Estimate> estimate;           // with --paired-bootstrap
  std::optional<double> p_value;                       // not for the first system
  std::vector<metrics::BracketCounts> sentences = {};  // with --per-sentence, of brackets
};

using SystemResults = std::vector<Result>;  // by metric

std::vector<metrics::BracketCounts> sentences_of(const metrics::LineStatistics& statistics) {
  std::vector<metrics::BracketCounts> sentences;
  for (Index line = 0; line < statistics.lines(); ++line) {
    sentences.push_back(metrics::bracket_figures(statistics.line(line)).all);
  }
  return sentences;
}

const char* status_of(const metrics::BracketCounts& sentence) {
  if (sentence.errors > 0) return "error";
  return sentence.skips > 0 ? "skip" : "ok";
}

std::vector<SystemResults> measure(const ScoreFlags& flags, const std::vector<ChosenMetric>& chosen,
                                   const std::vector<Text>& systems, metrics::References references) {
  std::vector<SystemResults> results(systems.size());
  for (const auto& [key, metric, signature] : chosen) {
    std::vector<double> baseline;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const metrics::LineStatistics statistics = metric.line_statistics(systems[s].lines, references);
      Result& result = results[s].emplace_back();
      result.sums = statistics.sum();
      result.score = metric.score(result.sums);
      if (flags.per_sentence && key == "brackets") result.sentences = sentences_of(statistics);
      if (!flags.paired) continue;
      const std::vector<double> samples = metrics::bootstrap_scores(metric, statistics, flags.bootstrap);
      result.estimate = metrics::estimate(samples);
      if (s == 0) {
        baseline = samples;
      } else {
        result.p_value = metrics::paired_p_value(baseline, samples, result.score - results[0].back().score);
      }
    }
  }
  return results;
}

double rounded(double value, int digits) { return std::stod(fmt::format("{:.{}f}", value, digits)); }

Json part_json(const metrics::Part& part) {
  if (part.values.size() > 1) return part.values;
  return part.is_count ? Json(static_cast<Index>(part.values.front())) : Json(part.values.front());
}

Json sentence_json(const metrics::BracketCounts& sentence) {
  return {{"status", status_of(sentence)}, {"length", sentence.length},
          {"recall", sentence.recall()},   {"precision", sentence.precision()},
          {"matched", sentence.matched},   {"gold", sentence.gold},
          {"test", sentence.test},         {"crossing", sentence.crossing},
          {"words", sentence.words},       {"tags", sentence.tags}};
}

Json result_json(const ChosenMetric& chosen, const Result& result, int digits) {
  Json out{{"name", chosen.metric.name}, {"score", rounded(result.score, digits)}, {"signature", chosen.signature}};
  if (const std::string details = chosen.metric.details(result.sums); !details.empty()) out["verbose_score"] = details;
  for (const metrics::Part& part : chosen.metric.parts(result.sums)) {
    out[part.name] = part_json(part);
  }
  if (result.estimate) {
    out["mean"] = result.estimate->mean;
    out["ci"] = result.estimate->half_width;
  }
  if (result.p_value) out["p_value"] = *result.p_value;
  for (const metrics::BracketCounts& sentence : result.sentences) {
    out["per_sentence"].push_back(sentence_json(sentence));
  }
  return out;
}

Json system_json(const std::vector<ChosenMetric>& chosen, const SystemResults& results, int digits) {
  Json out;
  for (std::size_t m = 0; m < chosen.size(); ++m) out[chosen[m].key] = result_json(chosen[m], results[m], digits);
  return out;
}

void print_json(const ScoreFlags& flags, const std::vector<ChosenMetric>& chosen,
                const std::vector<SystemResults>& results) {
  if (results.size() == 1) {
    fmt::print("{}\n", system_json(chosen, results.front(), flags.digits).dump());
    return;
  }
  Json systems = Json::array();
  for (std::size_t s = 0; s < results.size(); ++s) {
    Json system{{"system", flags.inputs[s]}};
    system.update(system_json(chosen, results[s], flags.digits));
    systems.push_back(std::move(system));
  }
  const Json out{{"systems", std::move(systems)}};
  fmt::print("{}\n", out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// A line for each sentence, with tabs between its columns.
void print_sentences(const std::vector<metrics::BracketCounts>& sentences) {
  fmt::print("line\tlength\tstatus\trecall\tprecision\tmatched\tgold\ttest\tcrossing\twords\ttags\n");
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const metrics::BracketCounts& s = sentences[i];
    fmt::print("{}\t{}\t{}\t{:.2f}\t{:.2f}\t{}\t{}\t{}\t{}\t{}\t{}\n", i + 1, s.length, status_of(s), s.recall(),
               s.precision(), s.matched, s.gold, s.test, s.crossing, s.words, s.tags);
  }
  fmt::print("\n");
}

// One line per metric, with the equals signs aligned.
void print_lines(const ScoreFlags& flags, const std::vector<ChosenMetric>& chosen, const SystemResults& results) {
  std::vector<std::string> lines;
  std::size_t widest = 0;
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    lines.push_back(metrics::score_line(chosen[m].metric, chosen[m].signature, results[m].sums, flags.digits));
    widest = std::max(widest, lines.back().find('='));
  }
  for (const Result& result : results) {
    if (!result.sentences.empty()) print_sentences(result.sentences);
  }
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    if (flags.score_only) {
      fmt::print("{:.{}f}\n", results[m].score, flags.digits);
    } else {
      fmt::print("{:>{}}{}\n", "", widest - lines[m].find('='), lines[m]);
      if (chosen[m].metric.table) fmt::print("\n{}", chosen[m].metric.table(results[m].sums));
    }
  }
}

std::string cell(const Result& result, int digits) {
  std::string text = fmt::format("{:.{}f}", result.score, digits);
  if (result.estimate) {
    text += fmt::format(" ({:.{}f} ± {:.{}f})", result.estimate->mean, digits, result.estimate->half_width, digits);
  }
  if (result.p_value) text += fmt::format(" (p = {:.4f}){}", *result.p_value, *result.p_value < 0.05 ? "*" : "");
  return text;
}

// Cells side by side, all but the last padded to the column width.
void print_row(const std::string& name, std::size_t name_width, const std::vector<std::string>& cells,
               std::size_t cell_width) {
  fmt::print("{:<{}}", name, name_width);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    fmt::print("  {:<{}}", cells[i], i + 1 < cells.size() ? cell_width : 0);
  }
  fmt::print("\n");
}

// A row per system, a column per metric.
void print_table(const ScoreFlags& flags, const std::vector<ChosenMetric>& chosen,
                 const std::vector<SystemResults>& results) {
  const std::size_t cell_width = flags.paired ? 30 + 3 * static_cast<std::size_t>(flags.digits) : 12;
  const std::string baseline = flags.paired ? "baseline: " : "";
  std::size_t name_width = 0;
  for (const std::string& name : flags.inputs) name_width = std::max(name_width, baseline.size() + name.size());
  std::vector<std::string> titles;
  for (const ChosenMetric& m : chosen)
    titles.push_back(m.metric.name + (flags.paired ? " (mean ± 95 % interval)" : ""));
  if (!flags.score_only) print_row("system", name_width, titles, cell_width);
  for (std::size_t s = 0; s < results.size(); ++s) {
    std::vector<std::string> cells;
    for (const Result& result : results[s]) cells.push_back(cell(result, flags.digits));
    print_row((s == 0 ? baseline : "") + flags.inputs[s], name_width, cells, cell_width);
  }
  if (flags.score_only) return;
  fmt::print("\n");
  if (flags.paired) fmt::print("* p < 0.05: significant difference from the baseline\n");
  for (const ChosenMetric& m : chosen) fmt::print("{}|{}\n", m.metric.name, m.signature);
}

void run(const ScoreFlags& flags) {
  if (flags.paired && flags.inputs.size() < 2) {
    throw CLI::ValidationError("--paired-bootstrap", "needs two or more systems after -i");
  }
  const std::vector<ChosenMetric> chosen = choose_metrics(flags);
  std::vector<Text> systems;
  systems.reserve(flags.inputs.size());
  for (const std::string& path : flags.inputs) systems.push_back(read_text(fmt::format("hypothesis '{}'", path), path));
  std::vector<std::vector<std::string>> references;
  for (const std::string& path : flags.references) {
    Text reference = read_text(fmt::format("reference '{}'", path), path);
    if (systems.empty()) systems.push_back(read_text("standard input", ""));
    for (const Text& system : systems) check_lines(system, reference);
    references.push_back(std::move(reference.lines));
  }
  const std::vector<SystemResults> results = measure(flags, chosen, systems, references);
  if (flags.json) {
    print_json(flags, chosen, results);
  } else if (results.size() == 1) {
    print_lines(flags, chosen, results.front());
  } else {
    print_table(flags, chosen, results);
  }
}

}  // namespace

void add_score_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("score", "Score translations: BLEU, chrF, TER; and parse trees: brackets");
  const auto flags = std::make_shared<ScoreFlags>(*command);
  command->callback([flags] { run(*flags); });
}

}  // namespace heed::cli
