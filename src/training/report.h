// The training report: one HTML page, with everything in it, about a run as its log tells it.
//
// render_report is a pure function of its arguments and may be called from any thread; the caller writes the page.
//
// The log holds one JSON object a line, in order, with a "type":
//   start, resume   update[, time, version, parameters, threads, seed, instruction_set]; what the log holds beyond that
//                   update was undone and is left out
//   change          update, name, from, to: a setting that changed when the run was resumed
//   train           update, epoch, sentences, tokens, cost, perplexity, seconds, seconds_left, tokens_per_second,
//                   gradient_norm, learning_rate, skipped
//   valid           update, epoch, cost, perplexity, seconds, best[, bleu][, chrf][, samples: [{source, reference,
//                   hypothesis}]]
//   end             update, reason, seconds[, message]
// Lines that are no such object, as a crash may leave them, are passed over; a figure that is missing or null leaves a
// gap in its curve.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/index.h"

namespace heed {

struct ReportFacts {
  std::string model;            // the name shown at the top
  std::string source_language;  // codes such as "en"; empty where unknown
  std::string target_language;
  Index parameters = 0;      // 0: unknown
  std::int64_t written = 0;  // when, in seconds since 1970; 0: unknown
  double news_lasts = 0.0;   // a running run's page is written again within so many seconds
};

// A curve longer than this is thinned to it: highest and lowest points of equal stretches, first and last among them.
inline constexpr Index report_points = 1500;
// Validations whose samples are shown: evenly spread, the best and the last among them.
inline constexpr Index report_snapshots = 200;

std::string render_report(std::string_view config_yaml, std::string_view log_jsonl, const ReportFacts& facts);

}  // namespace heed
