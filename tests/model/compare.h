// heed against the scalar reference in doubles: logits, losses and every gradient.
#pragma once

#include <string>

#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {

using Lengths = std::vector<std::pair<Index, Index>>;

inline void compare_with_reference(const std::string& what, const Config& config, const Lengths& lengths,
                                   const Dropout& dropout = {}) {
  const BatchBuilder batch = make_batch(config, lengths);
  const Tensors parameters = formula_parameters(config);
  const Computed got = compute(config, parameters, batch.batch(), dropout, 2);
  const reference::Result want = reference::run(config, parameters, batch.batch(), dropout);
  const double tokens = static_cast<double>(got.loss.tokens);
  EXPECT_LE(relative_error(got.logits, want.logits), 1e-5) << what;
  EXPECT_NEAR(got.loss.smoothed / want.smoothed, 1.0, 1e-5) << what;
  EXPECT_NEAR(got.loss.plain / want.plain, 1.0, 1e-5) << what;
  for (const auto& [name, gradient] : got.gradient) {
    const std::vector<double>& truth = want.gradient.at(name);
    double size = 0.0;
    for (const double g : truth) size += g * g;
    const bool zero = std::sqrt(size) / tokens < 1e-12;
    EXPECT_LE(relative_error(gradient, truth) / (zero ? tokens : 1.0), zero ? 1e-7 : 1e-5) << what << " " << name;
  }
}

}  // namespace heed
