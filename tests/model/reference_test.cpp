// The scalar reference against finite differences: its gradients must match its own loss.
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

// The derivative of the loss along a random direction of one tensor.
double finite_difference(const Config& config, Tensors parameters, const std::string& name,
                         const std::vector<double>& direction, const Batch& batch, const Dropout& dropout) {
  constexpr double step = 1e-5;
  std::vector<double>& tensor = parameters.at(name);
  const auto loss_at = [&](double shift) {
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] += shift * direction[i];
    return reference::run(config, parameters, batch, dropout).smoothed;
  };
  const double above = loss_at(step);
  const double below = loss_at(-2.0 * step);
  return (above - below) / (2.0 * step);
}

void check_against_differences(const std::string& name, const Config& config, const Dropout& dropout) {
  const BatchBuilder builder = make_batch(config, fixture_lengths());
  const Tensors parameters = formula_parameters(config);
  const Tensors gradient = reference::run(config, parameters, builder.batch(), dropout).gradient;
  for (const auto& [tensor, g] : gradient) {
    std::vector<double> direction;
    double along = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < g.size(); ++i) {
      // Mostly along the gradient, so that the derivative is large compared with the rounding of the loss.
      direction.push_back(g[i] + 0.3 * std::abs(g[i]) * (2.0 * uniform(17, i) - 1.0));
      along += direction[i] * g[i];
      size += direction[i] * direction[i];
    }
    if (size < 1e-20) continue;  // a gradient of 0 has no direction
    for (double& d : direction) d /= std::sqrt(size);
    const double want = finite_difference(config, parameters, tensor, direction, builder.batch(), dropout);
    EXPECT_NEAR(along / std::sqrt(size) / want, 1.0, 1e-6) << name << " " << tensor;
  }
}

TEST(Reference, GradientsAreTheDifferencesOfTheLoss) {
  for (const Fixture& fixture : read_fixtures()) check_against_differences(fixture.name, fixture.config, {});
}

TEST(Reference, GradientsHoldUnderDropout) {
  check_against_differences("dropout", small_config(), {.rate = 0.3f, .update_key = 5, .first_sentence = 2});
}

}  // namespace
}  // namespace heed
