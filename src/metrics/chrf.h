// chrF as sacreBLEU computes it: matches of character n-grams, and for chrF++ of word n-grams too.
//
// Space does not count as a character. Of several references each line takes the one that it scores best with.
// Pure functions; any thread may call them.
#pragma once

#include "metrics/metric.h"

namespace heed::metrics {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2 for chrF++
  int beta = 2;        // how many times recall weighs against precision
  bool lowercase = false;
};

// 0 … 100.
double chrf(Hypotheses hypotheses, References references, const ChrfOptions& options = {});

Metric chrf_metric(const ChrfOptions& options = {});

}  // namespace heed::metrics
