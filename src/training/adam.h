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

  // What a checkpoint must hold; set_updates goes with moments that were read back.
  std::span<float> first_moment() const { return {first_moment_.floats(), count_}; }
  std::span<float> second_moment() const { return {second_moment_.floats(), count_}; }
  void set_updates(Index updates) { updates_ = updates; }

 private:
  AdamOptions options_;
  std::size_t count_;
  Pages first_moment_;
  Pages second_moment_;
  Index updates_ = 0;
};

// The Euclidean norm, summed in one order whatever the number of threads.
double gradient_norm(std::span<const float> gradient, const Workspace& workspace);

}  // namespace heed
