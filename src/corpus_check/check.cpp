#include "corpus_check/check.h"

#include <fmt/format.h>

#include "base/figures.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/throwing_tasks.h"
#include "data/first_seen.h"
#include "text/controls.h"
#include "text/language.h"
#include "text/utf8.h"

namespace heed::corpus_check {
namespace {

constexpr std::size_t pairs_of_block = 8192;
constexpr Index pairs_of_task = 128;
constexpr std::size_t most_lengths = 20000;
constexpr std::size_t example_characters = 100;

void add_sizes(TextSize& sum, const TextSize& size) {
  sum.words += size.words;
  sum.characters += size.characters;
  sum.tokens += size.tokens;
  sum.unknown += size.unknown;
}

// Counts findings, and adds those that depend on the whole corpus.
class Tally {
 public:
  explicit Tally(int examples) : examples_(static_cast<std::size_t>(examples)) {}

  void add(const LenientPair& pair, PairFacts& facts) {
    const Index line = ++report_.pairs;
    look_for_repeats(pair, line, facts);
    add_sizes(report_.source.size, facts.source);
    add_sizes(report_.target.size, facts.target);
    for_each_finding([&](Finding finding) {
      if (facts.findings.has(finding)) count(finding, line, pair, facts);
    });
    if (is_usable(facts.findings)) add_usable(facts);
  }

  CheckReport finish(const LenientPairReader::Rest& rest) {
    report_.source.lines = report_.pairs + rest.source;
    report_.target.lines = report_.pairs + rest.target;
    if (const Index extra = rest.source + rest.target; extra > 0) {
      FindingCount& found = report_.findings[static_cast<std::size_t>(Finding::line_counts)];
      found.count = extra;
      found.examples.push_back({report_.pairs + 1,
                                fmt::format("{} and {}; the first line without a counterpart",
                                            counted(report_.source.lines, "line"), report_.target.lines),
                                {},
                                {}});
    }
    return std::move(report_);
  }

 private:
  void look_for_repeats(const LenientPair& pair, Index line, PairFacts& facts) {
    for (const Finding finding : {Finding::tabs, Finding::invalid_utf8, Finding::empty}) {
      if (facts.findings.has(finding)) return;
    }
    const std::uint64_t source = hash_of(pair.source);
    const auto seen_source = sources_.add(source, line);
    if (const auto seen = pairs_.add(random_key(source, hash_of(pair.target)), line)) {
      facts.add(Finding::duplicate, fmt::format("same as line {}", *seen));
    } else if (seen_source) {
      facts.add(Finding::same_source, fmt::format("same as line {}", *seen_source));
    }
  }

  void count(Finding finding, Index line, const LenientPair& pair, const PairFacts& facts) {
    FindingCount& found = report_.findings[static_cast<std::size_t>(finding)];
    ++found.count;
    if (found.examples.size() >= examples_) return;
    std::string detail;
    for (const auto& [of, text] : facts.details) {
      if (of == finding) detail.append(detail.empty() ? "" : "; ").append(text);
    }
    found.examples.push_back({line, shortened(detail, example_characters), shortened(pair.source, example_characters),
                              shortened(pair.target, example_characters)});
  }

  // Reservoir sampling: every pair is equally likely, and the sample is deterministic.
  void add_usable(const PairFacts& facts) {
    ++report_.usable;
    report_.usable_tokens += facts.target.tokens + 1;
    const std::pair lengths(facts.source.tokens + 1, facts.target.tokens + 1);
    if (report_.lengths.size() < most_lengths) {
      report_.lengths.push_back(lengths);
      return;
    }
    const auto usable = static_cast<std::uint64_t>(report_.usable);
    if (const std::uint64_t place = uniform_below(1, usable, usable); place < most_lengths) {
      report_.lengths[place] = lengths;
    }
  }

  std::size_t examples_;
  CheckReport report_;
  FirstSeen pairs_;
  FirstSeen sources_;
};

bool read_block(LenientPairReader& reader, std::vector<LenientPair>& block) {
  block.resize(pairs_of_block);
  std::size_t count = 0;
  while (count < block.size() && reader.next(block[count])) ++count;
  block.resize(count);
  return count == pairs_of_block;
}

void examine_block(const Examiner& examiner, std::vector<LenientPair>& block, std::vector<PairFacts>& facts,
                   ThreadPool& threads) {
  facts.assign(block.size(), {});
  const auto pairs = static_cast<Index>(block.size());
  run_throwing(threads, divide_up(pairs, pairs_of_task), [&](Index task) {
    for (Index i = task * pairs_of_task; i < std::min(pairs, (task + 1) * pairs_of_task); ++i) {
      facts[static_cast<std::size_t>(i)] = examiner.examine(block[static_cast<std::size_t>(i)]);
    }
  });
}

}  // namespace

bool is_usable(FindingSet findings) {
  for (const Finding finding : {Finding::tabs, Finding::invalid_utf8, Finding::empty, Finding::too_long}) {
    if (findings.has(finding)) return false;
  }
  return true;
}

double CheckReport::share(Finding finding) const {
  const Index lines = std::max(source.lines, target.lines);
  return lines == 0 ? 0.0 : static_cast<double>((*this)[finding].count) / static_cast<double>(lines);
}

Index CheckReport::found(Severity severity) const {
  Index kinds = 0;
  for_each_finding([&](Finding finding) {
    if (about(finding).severity == severity && (*this)[finding].count > 0) ++kinds;
  });
  return kinds;
}

CheckReport check_corpus(const CorpusFiles& files, const CheckOptions& options, const CheckCallbacks& callbacks) {
  const Examiner examiner(options);
  LenientPairReader reader(files);
  ThreadPool threads(options.threads);
  Tally tally(options.examples);
  std::vector<LenientPair> block;
  std::vector<PairFacts> facts;
  Index line = 0;
  for (bool more = true; more;) {
    more = read_block(reader, block);
    examine_block(examiner, block, facts, threads);
    for (std::size_t i = 0; i < block.size(); ++i) {
      tally.add(block[i], facts[i]);
      callbacks.pair({++line, block[i], facts[i].findings});
    }
    callbacks.progress(reader.share_read());
  }
  return tally.finish(reader.count_rest());
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string valid = replace_invalid_utf8(text.substr(0, 4 * most + 4));
  std::string shown;
  std::size_t characters = 0;
  std::size_t at = 0;
  while (at < valid.size() && characters < most) {
    const std::size_t start = at;
    const char32_t c = next_character(valid, at);
    if (c == '\t' || find_control(std::string_view(valid).substr(start, at - start))) {
      shown += ' ';
    } else {
      shown.append(valid, start, at - start);
    }
    ++characters;
  }
  if (at < valid.size()) shown += "…";
  return shown;
}

std::string language_of_name(const std::filesystem::path& path) {
  const std::string extension = uncompressed_name(path).extension().string();
  const std::string code = extension.empty() ? extension : extension.substr(1);
  const std::size_t letters = std::min(code.find_first_of("-_"), code.size());
  return (letters == 2 || letters == 3) && knows_language(code) ? code : std::string();
}

}  // namespace heed::corpus_check
