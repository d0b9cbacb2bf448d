// heed against PyTorch in float64: logits, losses and every gradient of every variant.
#include "base/json_fields.h"
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

TEST(PyTorch, EveryVariantHasTheSameLogitsLossAndGradients) {
  const std::vector<Fixture> fixtures = read_fixtures();
  ASSERT_GE(fixtures.size(), 46u);
  for (const Fixture& fixture : fixtures) {
    const BatchBuilder batch = make_batch(fixture.config, fixture_lengths());
    const Computed got = compute(fixture.config, formula_parameters(fixture.config), batch.batch(), {}, 2);
    EXPECT_LE(relative_error(got.logits, fixture.values.at("logits")), 1e-5) << fixture.name;
    const std::vector<double>& losses = fixture.values.at("losses");
    EXPECT_NEAR(got.loss.smoothed / losses[0], 1.0, 1e-5) << fixture.name;
    EXPECT_NEAR(got.loss.plain / losses[1], 1.0, 1e-5) << fixture.name;
    // As many tensors as PyTorch has: nothing is left out on either side.
    std::size_t compared = 0;
    for (const auto& [name, gradient] : got.gradient) {
      const std::vector<double>& want = fixture.values.at("gradient/" + name);
      double size = 0.0;
      for (const double g : want) size += g * g;
      // Key biases shift all scores of a query equally: their true gradient is 0, up to rounding in the sum of 14
      // tokens.
      const bool zero = size < 1e-24;
      EXPECT_LE(relative_error(gradient, want), zero ? 14e-7 : 1e-5) << fixture.name << " " << name;
      ++compared;
    }
    EXPECT_EQ(compared + 2 + fixture.values.count("adam_losses"), fixture.values.size()) << fixture.name;
  }
}

// The same config with one field at its default.
Config without(const Config& config, const char* name) {
  nlohmann::json json = write_fields(config);
  json.erase(json_name(name));
  Config changed;
  std::set<std::string> known;
  read_fields(json, changed, known);
  return changed;
}

bool same_tensors(const Config& a, const Config& b) {
  const std::vector<Tensor> one = list_tensors(a);
  const std::vector<Tensor> other = list_tensors(b);
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Tensor& x, const Tensor& y) {
    return x.name == y.name && x.rows == y.rows && x.cols == y.cols;
  });
}

// A field that adds or reshapes tensors shows in the comparison above; these have to show in the logits.
TEST(PyTorch, FieldsThatAddNoTensorShowInTheLogits) {
  std::map<std::string, double> effect;  // the largest in any variant
  for (const Fixture& fixture : read_fixtures()) {
    const BatchBuilder batch = make_batch(fixture.config, fixture_lengths());
    for (const char* field : {"positions", "position-start", "embedding-scale", "layer-norm-epsilon", "activation"}) {
      const Config changed = without(fixture.config, field);
      if (!same_tensors(changed, fixture.config)) continue;
      const Computed got = compute(changed, formula_parameters(changed), batch.batch(), {}, 1);
      effect[field] = std::max(effect[field], relative_error(got.logits, fixture.values.at("logits")));
    }
  }
  EXPECT_EQ(effect.size(), 5u);
  for (const auto& [field, size] : effect) EXPECT_GT(size, 1e-4) << field;
}

}  // namespace
}  // namespace heed
