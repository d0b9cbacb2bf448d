#include "metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace heed::metrics {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<double> bootstrap_scores(const Metric& metric, const LineStatistics& statistics,
                                     const BootstrapOptions& options) {
  std::vector<double> scores;
  scores.reserve(static_cast<std::size_t>(options.samples));
  std::vector<double> sums(statistics.width);
  const auto lines = static_cast<std::uint64_t>(statistics.lines());
  for (Index sample = 0; sample < options.samples; ++sample) {
    const std::uint64_t key = random_key(options.seed, static_cast<std::uint64_t>(sample));
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::uint64_t draw = 0; draw < lines; ++draw) {
      const std::span<const double> line = statistics.line(static_cast<Index>(uniform_below(key, draw, lines)));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += line[i];
    }
    scores.push_back(metric.score(sums));
  }
  return scores;
}

Estimate estimate(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const std::size_t cut_off = scores.size() / 40;  // 2.5 % at either end
  return {mean(scores), 0.5 * (scores[scores.size() - cut_off - 1] - scores[cut_off])};
}

double paired_p_value(std::span<const double> baseline_scores, std::span<const double> system_scores,
                      double real_difference) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < baseline_scores.size(); ++i) {
    differences.push_back(std::abs(system_scores[i] - baseline_scores[i]));
  }
  // Centred differences are those expected by chance under the null hypothesis of two equal systems.
  const double centre = mean(differences);
  const auto larger = std::count_if(differences.begin(), differences.end(),
                                    [&](double d) { return d - centre > std::abs(real_difference); });
  return static_cast<double>(larger + 1) / static_cast<double>(differences.size() + 1);
}

}  // namespace heed::metrics
