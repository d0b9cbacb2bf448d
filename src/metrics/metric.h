// Common interface of the metrics: statistics per line that sum up to a corpus score, and how scores are printed.
//
// Scores are computed from sums over lines, so any sample of lines, as in bootstrapping, can be scored without the
// text. Functions of hypotheses and references throw Error if their line counts differ or there is no reference.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/index.h"

namespace heed::metrics {

using Hypotheses = std::span<const std::string>;               // one per line
using References = std::span<const std::vector<std::string>>;  // one or more sets, each with all lines

struct LineStatistics {
  std::size_t width = 0;       // statistics per line
  std::vector<double> values;  // (lines, width)

  Index lines() const { return static_cast<Index>(values.size() / width); }
  std::span<const double> line(Index index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index) * width, width);
  }
  std::vector<double> sum() const;
};

// Throws Error unless all have the same number of lines and there is a reference.
void check_line_counts(Hypotheses hypotheses, References references);

// Fills in the figures of every line: `prepare` decodes a text, and `add_line` appends `width` figures for a hypothesis
// and its references. The prepared texts live while `add_line` runs.
LineStatistics collect(
    Hypotheses hypotheses, References references, std::size_t width,
    const std::function<std::u32string(const std::string& text)>& prepare,
    const std::function<void(const std::u32string& hypothesis, std::span<const std::u32string> references,
                             std::vector<double>& values)>& add_line);

// A component of a score, such as the brevity penalty, or one value per n-gram order.
struct Part {
  std::string name;
  std::vector<double> values;
  bool is_count = false;
};

// A metric with its options, with a uniform interface.
struct Metric {
  std::string name;      // as printed: "BLEU", "chrF2++", "TER"
  std::string settings;  // the metric's own fields of the signature: "case:mixed|eff:no|tok:13a|smooth:exp"
  std::function<LineStatistics(Hypotheses, References)> line_statistics;
  std::function<double(std::span<const double> sums)> score;
  std::function<std::string(std::span<const double> sums)> details;  // printed after the score; may be empty
  std::function<std::vector<Part>(std::span<const double> sums)> parts;
  std::function<std::string(std::span<const double> sums)> table = {};  // printed below, with all figures; may be unset
};

struct BootstrapOptions {
  Index samples = 1000;
  std::uint64_t seed = 12345;
};

// sacreBLEU's signature with heed's version: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-0.1.0".
std::string signature(const Metric& metric, Index references, std::optional<BootstrapOptions> bootstrap = {});

// sacreBLEU's line: "BLEU|nrefs:1|… = 20.81 54.4/26.6/14.9/8.7 (BP = …)".
std::string score_line(const Metric& metric, const std::string& signature, std::span<const double> sums, int digits);
}  // namespace heed::metrics
