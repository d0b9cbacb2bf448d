// The training report: one self-contained HTML page, rendered from the log of a run.
//
// render_report is a pure function of its arguments and may be called from any thread; the caller writes the page.
//
// The log holds one JSON object per line, in order, with a "type":
//   start, resume   update[, time, version, parameters, threads, seed, instruction_set]; records before it with a
//                   higher update were undone and are ignored
//   change          update, name, from, to: a setting that changed on resume
//   train           update, epoch, sentences, tokens, cost, perplexity, seconds, seconds_left, tokens_per_second,
//                   gradient_norm, learning_rate, skipped
//   valid           update, epoch, cost, perplexity, seconds, best[, bleu][, chrf][, brackets]
//                   [, samples: [{source, reference, hypothesis}]]
//   end             update, reason, seconds[, message]
// Malformed lines, as a crash may leave them, are skipped; a missing or null figure leaves a gap in its curve.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/index.h"

namespace heed {

struct ReportFacts {
  std::string model;            // the name shown at the top
  std::string source_language;  // codes such as "en"; empty: unknown
  std::string target_language;
  Index parameters = 0;      // 0: unknown
  std::int64_t written = 0;  // when, in seconds since 1970; 0: unknown
  double news_lasts = 0.0;   // while the run is active, the page is rewritten within this many seconds
};

// Longer curves are thinned to this many points: first, last, and the extremes of equal stretches.
inline constexpr Index report_points = 1500;
// Maximum number of validations with samples: evenly spread, including the best and the last.
inline constexpr Index report_snapshots = 200;

std::string render_report(std::string_view config_yaml, std::string_view log_jsonl, const ReportFacts& facts);

}  // namespace heed
