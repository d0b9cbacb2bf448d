#include "treebank/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figures.h"
#include "base/hash.h"
#include "data/lines.h"

namespace heed::treebank {
namespace {

constexpr std::array<FaultText, fault_count> texts{{
    {"not_utf8", "not UTF-8"},
    {"text_outside", "text outside of brackets"},
    {"not_closed", "bracket not closed"},
    {"closed_too_often", "closed too often"},
    {"second_tree", "two trees on a line"},
    {"no_label", "bracket without label"},
    {"empty_bracket", "empty bracket"},
    {"two_words", "two words in a bracket"},
    {"word_beside_bracket", "word beside brackets"},
    {"too_large", "too many brackets"},
}};

class FileCheck {
 public:
  FileCheck(const std::filesystem::path& path, int examples)
      : reader_(path), examples_(static_cast<std::size_t>(examples)) {
    report_.name = path.string();
  }

  // `first` holds the sentences of the first file, or is null for the first itself.
  FileReport run(FirstSeen& own, FirstSeen* first, const std::function<void(double)>& progress) {
    constexpr Index lines_between_reports = 1000;
    std::string line;
    Tree tree;
    while (reader_.next(line)) {
      ++report_.lines;
      if (const auto flaw = parse_tree(line, tree)) {
        count_fault(*flaw);
      } else if (tree.empty()) {
        ++report_.blank;
      } else {
        add(tree);
        look_for_repeats(tree, own, first);
      }
      if (report_.lines % lines_between_reports == 0) progress(reader_.share_read());
    }
    return std::move(report_);
  }

 private:
  void count_fault(const Flaw& flaw) {
    FaultCount& found = report_.faults[static_cast<std::size_t>(flaw.fault)];
    ++found.count;
    if (found.examples.size() < examples_) found.examples.push_back({report_.lines, flaw.byte, flaw.text});
  }

  void add(const Tree& tree) {
    ++report_.trees;
    words_ = 0;
    for (const Node& node : tree.nodes) {
      ++(node.is_word() ? report_.tags : report_.labels)[node.label];
      words_ += node.is_word() ? 1 : 0;
    }
    report_.words += words_;
    if (words_ > report_.longest) {
      report_.longest = words_;
      report_.longest_line = report_.lines;
    }
    const Index depth = depth_of(tree);
    report_.depth += depth;
    if (depth > report_.deepest) {
      report_.deepest = depth;
      report_.deepest_line = report_.lines;
    }
  }

  void look_for_repeats(const Tree& tree, FirstSeen& own, FirstSeen* first) {
    Hash hash;
    for (const Node& node : tree.nodes) {
      if (!node.is_word()) continue;
      hash.add(node.word);
      hash.add(" ");
    }
    if (own.add(hash.value(), report_.lines)) ++report_.repeated;
    if (first == nullptr || !first->find_line(hash.value())) return;
    ++report_.in_first;
    if (words_ > short_sentence) ++report_.in_first_long;
  }

  LineReader reader_;
  std::size_t examples_;
  FileReport report_;
  Index words_ = 0;  // of the last tree
};

std::string faults_table(const FileReport& report) {
  std::string text;
  for (std::size_t i = 0; i < fault_count; ++i) {
    const FaultCount& found = report.faults[i];
    if (found.count == 0) continue;
    text += fmt::format("error    {:<31} {:>11}\n", texts[i].title, with_commas(found.count));
    for (const FaultExample& e : found.examples) {
      text += fmt::format("           line {}, byte {}: {}\n", e.line, e.byte, e.text);
    }
  }
  if (report.blank > 0) text += fmt::format("note     {:<31} {:>11}\n", "blank lines", with_commas(report.blank));
  if (report.repeated > 0) {
    text += fmt::format("note     {:<31} {:>11}\n", "repeated sentences", with_commas(report.repeated));
  }
  return text;
}

double mean(Index sum, Index count) { return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count); }

std::string sizes(const FileReport& report) {
  const auto row = [](const char* what, Index count, const std::string& detail = "") {
    return fmt::format("{:<8} {:>13}{}{}\n", what, with_commas(count), detail.empty() ? "" : "   ", detail);
  };
  std::string text = row("trees", report.trees);
  text += row("words", report.words,
              fmt::format("{:.1f} a tree, at most {} (line {})", mean(report.words, report.trees),
                          with_commas(report.longest), report.longest_line));
  text += row("labels", static_cast<Index>(report.labels.size()));
  text += row("tags", static_cast<Index>(report.tags.size()));
  text += row(
      "depth", report.deepest,
      fmt::format("{:.1f} on average; the deepest is line {}", mean(report.depth, report.trees), report.deepest_line));
  return text;
}

// The names that only the second has.
std::vector<std::string> new_names(const std::map<std::string, Index>& first,
                                   const std::map<std::string, Index>& second) {
  std::vector<std::string> names;
  for (const auto& [name, count] : second) {
    if (!first.contains(name)) names.push_back(name);
  }
  return names;
}

std::string comparison(const FileReport& first, const FileReport& second) {
  std::string text = fmt::format("{} of the sentences of '{}' {} also in '{}', {} of them longer than {} words\n",
                                 with_commas(second.in_first), second.name, second.in_first == 1 ? "is" : "are",
                                 first.name, with_commas(second.in_first_long), short_sentence);
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += fmt::format("{} that '{}' lacks: {}\n", what, first.name, fmt::join(names, " "));
  };
  add("labels", new_names(first.labels, second.labels));
  add("tags", new_names(first.tags, second.tags));
  return text;
}

}  // namespace

const FaultText& about(Fault fault) { return texts[static_cast<std::size_t>(fault)]; }

Index FileReport::bad() const { return lines - blank - trees; }

std::vector<FileReport> check_treebanks(std::span<const std::filesystem::path> files, const CheckOptions& options) {
  std::vector<FileReport> reports;
  std::vector<FirstSeen> seen(files.size());
  const auto count = static_cast<double>(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    FileCheck check(files[i], options.examples);
    const auto progress = [&](double share) { options.progress((static_cast<double>(i) + share) / count); };
    reports.push_back(check.run(seen[i], i == 0 ? nullptr : seen.data(), progress));
  }
  return reports;
}

std::string report_text(std::span<const FileReport> reports) {
  std::string text;
  for (const FileReport& report : reports) {
    const std::string faults = faults_table(report);
    text += fmt::format("{}: {}\n{}{}\n", report.name, counted(report.lines, "line"), sizes(report),
                        faults.empty() ? "nothing found\n" : faults);
  }
  if (reports.size() == 2) text += comparison(reports[0], reports[1]) + "\n";
  return text;
}

bool is_sound(std::span<const FileReport> reports) {
  return std::all_of(reports.begin(), reports.end(),
                     [](const FileReport& report) { return report.bad() == 0 && report.trees > 0; });
}

std::string verdict(std::span<const FileReport> reports) {
  std::vector<std::string> names;
  for (const FileReport& report : reports) {
    names.push_back(fmt::format("'{}'", report.name));
    if (report.bad() > 0) {
      return fmt::format("treebank '{}': {} of {} {} not a tree; correct or delete them", report.name,
                         with_commas(report.bad()), counted(report.lines, "line"), report.bad() == 1 ? "is" : "are");
    }
    if (report.trees == 0) return fmt::format("treebank '{}': there are no trees; check the file name", report.name);
  }
  return fmt::format("treebank {}: every line is a tree", fmt::join(names, " and "));
}

}  // namespace heed::treebank
