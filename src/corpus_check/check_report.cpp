#include "corpus_check/check_report.h"

#include <fmt/format.h>

#include "base/figures.h"

namespace heed::corpus_check {
namespace {

std::string percent(double share) {
  if (share > 0.0 && share < 1e-4) return "< 0.01 %";
  return fmt::format("{:.{}f} %", 100.0 * share, share < 0.01 ? 2 : 1);
}

std::string percent_unknown(const TextSize& size) {
  return percent(size.tokens == 0 ? 0.0 : static_cast<double>(size.unknown) / static_cast<double>(size.tokens));
}

void append_finding(Finding finding, const CheckReport& report, std::string& text) {
  const FindingCount& found = report[finding];
  const FindingText& what = about(finding);
  text += fmt::format("{:<8} {:<31} {:>11} {:>9}   {}\n", name_of(what.severity), what.title, with_commas(found.count),
                      percent(report.share(finding)), what.cost);
  for (const Example& example : found.examples) {
    text += fmt::format("           line {}{}{}\n", example.line, example.detail.empty() ? "" : ": ", example.detail);
    if (!example.source.empty()) text += fmt::format("             {}\n", example.source);
    if (!example.target.empty()) text += fmt::format("             {}\n", example.target);
  }
}

void append_side(const char* name, const SideReport& side, std::string& text) {
  text += fmt::format("{:<8} {:>13} {:>15} {:>15} {:>15}\n", name, with_commas(side.lines),
                      with_commas(side.size.words), with_commas(side.size.characters), with_commas(side.size.tokens));
}

}  // namespace

std::string findings_table(const CheckReport& report) {
  std::string text;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    for_each_finding([&](Finding finding) {
      if (about(finding).severity != severity || report[finding].count == 0) return;
      append_finding(finding, report, text);
    });
  }
  return text.empty() ? "nothing found\n" : text;
}

std::string sizes_table(const CheckReport& report, bool estimated) {
  std::string text = fmt::format("{:<8} {:>13} {:>15} {:>15} {:>15}\n", "", "lines", "words", "characters",
                                 estimated ? "tokens (est.)" : "tokens");
  append_side("source", report.source, text);
  append_side("target", report.target, text);
  if (!estimated) {
    text += fmt::format("out of vocabulary: {} of source tokens, {} of target tokens\n",
                        percent_unknown(report.source.size), percent_unknown(report.target.size));
  }
  return text;
}

std::string verdict(const CheckReport& report, const CorpusFiles& files) {
  if (report[Finding::line_counts].count > 0) {
    return fmt::format("corpus {}: {} and {}; training needs equal line counts: align the files again", files.name(),
                       counted(report.source.lines, "line"), report.target.lines);
  }
  for (const Finding finding : {Finding::invalid_utf8, Finding::tabs}) {
    const FindingCount& found = report[finding];
    if (found.count == 0) continue;
    const std::string first =
        found.examples.empty() ? std::string() : fmt::format(", first at line {}", found.examples[0].line);
    return fmt::format("corpus {}: {}{}; training rejects such lines; --fix OUT drops them", files.name(),
                       finding == Finding::tabs ? fmt::format("lines without exactly one tab: {}", found.count)
                                                : fmt::format("lines that are not UTF-8: {}", found.count),
                       first);
  }
  if (report.pairs == 0) return fmt::format("corpus {}: no pairs; check the file names", files.name());
  if (report.usable == 0) {
    return fmt::format("corpus {}: training would skip every pair; see the findings", files.name());
  }
  if (const Index warnings = report.found(Severity::warning); warnings > 0) {
    return fmt::format("corpus {}: fit to train on, with {} {}; --fix OUT writes a cleaned copy", files.name(),
                       warnings, warnings == 1 ? "warning" : "warnings");
  }
  return fmt::format("corpus {}: fit to train on", files.name());
}

}  // namespace heed::corpus_check
