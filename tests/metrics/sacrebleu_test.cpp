// Every metric against sacreBLEU's stored figures, on text made to be awkward; tests/fixtures/make_score_fixtures.py
// makes it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace heed::metrics {
namespace {

using Json = nlohmann::json;

template <class Enum>
Enum enum_named(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return static_cast<Enum>(found - names.begin());
}

BleuOptions bleu_options(const Json& given) {
  BleuOptions options;
  options.tokenizer = from_name<Tokenizer>("tokenize", given.value("tokenize", "13a"));
  options.lowercase = given.value("lowercase", false);
  options.smoothing = enum_named<Smoothing>({"exp", "floor", "add-k", "none"}, given.value("smooth_method", "exp"));
  if (given.contains("smooth_value")) options.smoothing_value = given["smooth_value"].get<double>();
  options.effective_order = given.value("effective_order", false);
  return options;
}

ChrfOptions chrf_options(const Json& given) {
  return {.char_order = given.value("char_order", 6),
          .word_order = given.value("word_order", 0),
          .beta = given.value("beta", 2),
          .lowercase = given.value("lowercase", false)};
}

Metric metric_of(const Json& given) {
  if (given["metric"] == "bleu") return bleu_metric(bleu_options(given));
  if (given["metric"] == "chrf") return chrf_metric(chrf_options(given));
  return ter_metric({.case_sensitive = given.value("case_sensitive", false)});
}

std::string without_version(std::string line) {
  const std::size_t at = line.find("|version:heed-");
  EXPECT_NE(at, line.npos) << line;
  return line.erase(at, line.find(' ', at) - at);
}

class Sacrebleu : public testing::TestWithParam<std::string> {};

TEST_P(Sacrebleu, GivesTheSameFiguresAndTheSameLine) {
  std::ifstream file(HEED_FIXTURES "/scores.json");
  const Json fixture = Json::parse(file);
  int compared = 0;
  for (std::size_t c = 0; c < fixture["corpora"].size(); ++c) {
    const Json& corpus = fixture["corpora"][c];
    const auto hypotheses = corpus["hypotheses"].get<std::vector<std::string>>();
    const auto references = corpus["references"].get<std::vector<std::vector<std::string>>>();
    for (std::size_t m = 0; m < fixture["metrics"].size(); ++m) {
      if (fixture["metrics"][m]["metric"] != GetParam()) continue;
      const Metric metric = metric_of(fixture["metrics"][m]);
      const std::vector<double> sums = metric.line_statistics(hypotheses, references).sum();
      const Json& expected = corpus["scores"][m];
      SCOPED_TRACE("corpus " + std::to_string(c) + ", " + fixture["metrics"][m].dump());
      EXPECT_NEAR(metric.score(sums), expected[0].get<double>(), 1e-9);
      const std::string signed_by = signature(metric, static_cast<Index>(references.size()));
      EXPECT_EQ(without_version(score_line(metric, signed_by, sums, 2)), expected[1].get<std::string>());
      ++compared;
    }
  }
  EXPECT_GE(compared, 100);
}

INSTANTIATE_TEST_SUITE_P(Metrics, Sacrebleu, testing::Values("bleu", "chrf", "ter"),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace heed::metrics
