// How sure a score or a difference of scores is, by scoring many corpora drawn from the lines of one.
//
// The same method as sacreBLEU's paired bootstrap, after Koehn (2004), with a random generator of heed's own: which
// lines a sample holds is a function of the seed, the number of the sample and the number of lines. Two systems that
// are compared are drawn the same lines. Pure functions; any thread may call them.
#pragma once

#include "metrics/metric.h"

namespace heed::metrics {

// The score of each sample; there must be a line.
std::vector<double> bootstrap_scores(const Metric& metric, const LineStatistics& statistics,
                                     const BootstrapOptions& options);

struct Estimate {
  double mean = 0.0;
  double half_width = 0.0;  // of the interval that holds 95 % of the samples
};

Estimate estimate(std::vector<double> scores);

// How probable a difference at least as large as the real one is by chance, were the two systems equally good.
double paired_p_value(std::span<const double> baseline_scores, std::span<const double> system_scores,
                      double real_difference);

}  // namespace heed::metrics
