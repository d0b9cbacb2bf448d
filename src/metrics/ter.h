// TER as in sacreBLEU and Tercom: the number of edits, including phrase shifts, that turn a hypothesis into its
// reference, per hundred words of the reference.
//
// Shifts are searched greedily and within limits, so the number of edits is an upper bound. With several references,
// each line uses the fewest edits and the average length. Pure functions; any thread may call them.
#pragma once

#include "metrics/metric.h"

namespace heed::metrics {

struct TerOptions {
  bool case_sensitive = false;
};

struct TerScore {
  double score = 0.0;  // 0 is best; above 100 if there are more edits than words
  Index edits = 0;
  double reference_length = 0.0;
};

TerScore ter(Hypotheses hypotheses, References references, const TerOptions& options = {});

Metric ter_metric(const TerOptions& options = {});

}  // namespace heed::metrics
