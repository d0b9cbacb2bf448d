// TER as sacreBLEU computes it after Tercom: the edits, shifts of whole phrases among them, that turn a hypothesis into
// its reference, for each hundred words of the reference.
//
// The best shifts are looked for greedily and within limits, so the number of edits is the one that this search finds.
// Of several references each line takes the fewest edits, and the average length. Pure functions; any thread may call
// them.
#pragma once

#include "metrics/metric.h"

namespace heed::metrics {

struct TerOptions {
  bool case_sensitive = false;
};

struct TerScore {
  double score = 0.0;  // 0 is best; above 100 where there are more edits than words
  Index edits = 0;
  double reference_length = 0.0;
};

TerScore ter(Hypotheses hypotheses, References references, const TerOptions& options = {});

Metric ter_metric(const TerOptions& options = {});

}  // namespace heed::metrics
