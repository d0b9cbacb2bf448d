// chrF as in sacreBLEU: F-score of character n-grams, and for chrF++ also of word n-grams.
//
// White space is ignored. With several references, each line uses the one with the best score.
// Pure functions; any thread may call them.
#pragma once

#include "metrics/metric.h"

namespace heed::metrics {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2 for chrF++
  int beta = 2;        // weight of recall relative to precision
  bool lowercase = false;
};

// 0 … 100.
double chrf(Hypotheses hypotheses, References references, const ChrfOptions& options = {});

Metric chrf_metric(const ChrfOptions& options = {});

}  // namespace heed::metrics
