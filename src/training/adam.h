// Adam over the flat buffers: β1 0.9, β2 0.98, ε 1e-9 as in the paper.
#pragma once

#include "layers/workspace.h"

namespace heed {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
};

class Adam {
 public:
  Adam(Index parameters, const AdamOptions& options);

  // One fused pass: moments and parameters change, the gradient is left zero. `scale` is applied to the gradient first.
  void update(std::span<float> parameters, std::span<float> gradient, double rate, double scale,
              const Workspace& workspace);

  Index updates() const { return updates_; }

 private:
  AdamOptions options_;
  Pages first_moment_;
  Pages second_moment_;
  Index updates_ = 0;
};

// The Euclidean norm, summed in one order whatever the number of threads.
double gradient_norm(std::span<const float> gradient, const Workspace& workspace);

}  // namespace heed
