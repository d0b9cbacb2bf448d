// Bootstrap resampling: confidence intervals of scores, and significance of differences between systems.
//
// The same method as sacreBLEU's paired bootstrap, after Koehn (2004), with heed's own random generator: the lines of a
// sample depend on the seed, the number of the sample and the number of lines, so systems are compared on the same
// lines. Pure functions; any thread may call them.
#pragma once

#include "metrics/metric.h"

namespace heed::metrics {

// The score of each sample; there must be at least one line.
std::vector<double> bootstrap_scores(const Metric& metric, const LineStatistics& statistics,
                                     const BootstrapOptions& options);

struct Estimate {
  double mean = 0.0;
  double half_width = 0.0;  // of the 95 % confidence interval
};

Estimate estimate(std::vector<double> scores);

// The p-value: the probability of a difference at least this large if the two systems are equally good.
double paired_p_value(std::span<const double> baseline_scores, std::span<const double> system_scores,
                      double real_difference);

}  // namespace heed::metrics
