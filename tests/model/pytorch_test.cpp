// heed against PyTorch in float64: logits, losses and every gradient of every variant.
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

TEST(PyTorch, EveryVariantHasTheSameLogitsLossAndGradients) {
  const std::vector<Fixture> fixtures = read_fixtures();
  ASSERT_GE(fixtures.size(), 31u);
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
      // Keys' biases shift every score of a query alike: their true gradient is 0, up to rounding in the sum of 14
      // tokens.
      const bool zero = size < 1e-24;
      EXPECT_LE(relative_error(gradient, want), zero ? 14e-7 : 1e-5) << fixture.name << " " << name;
      ++compared;
    }
    EXPECT_EQ(compared + 2 + fixture.values.count("adam_losses"), fixture.values.size()) << fixture.name;
  }
}

}  // namespace
}  // namespace heed
