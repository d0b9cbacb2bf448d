// Labelled brackets of parse trees, as the program EVALB compares them.
//
// A line holds a tree, (S (NP (DT the) …)): '(' begins a label up to a space or bracket; if spaces, a word and ')'
// follow, it is a word with its tag, else a bracket. Words with a deleted tag vanish on both sides, and brackets span
// the words that are left. Lines whose words differ, or that cannot be read, are errors, and lines without words in the
// test are skipped; neither enters precision and recall. `strict F` counts their gold brackets as missed.
//
// Unlike EVALB this never stops at errors, and a line may have a million brackets. Linear in the line, but for sorting
// its brackets. Pure functions; any thread may call them.
#pragma once

#include <memory>

#include "metrics/evalb_rules.h"
#include "metrics/metric.h"

namespace heed::metrics {

struct BracketOptions {
  EvalbRules rules;
  // Whose tags decide which words of the test are deleted; its own, those of the reference, or those of these trees.
  // Tag accuracy is always that of the test's own.
  bool gold_tags = false;
  std::shared_ptr<const std::vector<std::string>> tag_lines = {};
  std::string tag_name = {};  // of tag_lines, in the signature
};

// Of one sentence, or sums over sentences.
struct BracketCounts {
  Index sentences = 0;
  Index errors = 0;
  Index skips = 0;
  Index length = 0;  // words of the gold tree, deleted ones included
  Index matched = 0;
  Index gold = 0;
  Index test = 0;
  Index missed = 0;    // gold brackets of errors and skips
  Index complete = 0;  // sentences whose brackets are all right
  Index crossing = 0;  // test brackets that cross a gold bracket
  Index without_crossing = 0;
  Index few_crossing = 0;  // sentences with at most two
  Index words = 0;
  Index tags = 0;  // words with the right tag

  bool operator==(const BracketCounts&) const = default;

  Index valid() const { return sentences - errors - skips; }
  // In percent; 0 of nothing is 0.
  double recall() const;
  double precision() const;
  double f() const;
  double strict_f() const;
  double complete_match() const;
  double no_crossing() const;
  double two_or_less_crossing() const;
  double tag_accuracy() const;
  double average_crossing() const;  // brackets a sentence
};

// `tags` is a line whose tags decide about the words of the test, or null.
BracketCounts compare_brackets(const std::string& gold, const std::string& test, const std::string* tags,
                               const EvalbRules& rules);

// Sums, or the statistics of a line.
struct BracketFigures {
  BracketCounts all;
  BracketCounts short_ones;  // sentences of at most rules.cutoff words
};
BracketFigures bracket_figures(std::span<const double> sums);

// Takes one set of references.
Metric bracket_metric(const BracketOptions& options = {});

}  // namespace heed::metrics
