#include "metrics/metric.h"

#include <fmt/format.h>

#include "base/figures.h"
#include "heed/error.h"

namespace heed::metrics {

void check_line_counts(Hypotheses hypotheses, References references) {
  if (references.empty()) throw Error("references: there is none; give at least one");
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() != hypotheses.size()) {
      throw Error(fmt::format("reference {} has {} for {}; each hypothesis needs one line", i + 1,
                              counted(references[i].size(), "line"),
                              counted(hypotheses.size(), "hypothesis", "hypotheses")));
    }
  }
}

std::vector<double> LineStatistics::sum() const {
  std::vector<double> sums(width, 0.0);
  for (Index l = 0; l < lines(); ++l) {
    const std::span<const double> figures = line(l);
    for (std::size_t i = 0; i < width; ++i) sums[i] += figures[i];
  }
  return sums;
}

LineStatistics collect(
    Hypotheses hypotheses, References references, std::size_t width,
    const std::function<std::u32string(const std::string& text)>& prepare,
    const std::function<void(const std::u32string& hypothesis, std::span<const std::u32string> references,
                             std::vector<double>& values)>& add_line) {
  check_line_counts(hypotheses, references);
  LineStatistics statistics{width, {}};
  statistics.values.reserve(width * hypotheses.size());
  std::vector<std::u32string> prepared(references.size());
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    for (std::size_t i = 0; i < references.size(); ++i) prepared[i] = prepare(references[i][line]);
    add_line(prepare(hypotheses[line]), prepared, statistics.values);
  }
  return statistics;
}

std::string signature(const Metric& metric, Index references, std::optional<BootstrapOptions> bootstrap) {
  const std::string trials =
      bootstrap ? fmt::format("bs:{}|seed:{}|", bootstrap->samples, bootstrap->seed) : std::string();
  return fmt::format("nrefs:{}|{}{}|version:heed-{}", references, trials, metric.settings, HEED_VERSION);
}

std::string score_line(const Metric& metric, const std::string& signature, std::span<const double> sums, int digits) {
  const std::string details = metric.details(sums);
  return fmt::format("{}|{} = {:.{}f}{}{}", metric.name, signature, metric.score(sums), digits,
                     details.empty() ? "" : " ", details);
}

}  // namespace heed::metrics
