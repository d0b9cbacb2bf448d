// Adam over flat buffers: β1 0.9, β2 0.98, ε 1e-9 as in the paper, with optional decoupled weight decay (AdamW).
#pragma once

#include <vector>

#include "layers/workspace.h"

namespace heed {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0.0;
};

// A part of the flat buffers.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Adam {
 public:
  // Weight decay applies to these stretches, which are sorted and not adjacent.
  Adam(Index parameters, const AdamOptions& options, std::vector<Stretch> decayed = {});

  // One fused pass: updates moments and parameters and zeroes the gradient. The gradient is multiplied by `scale`
  // first, and decayed weights shrink by rate · weight_decay.
  void update(std::span<float> parameters, std::span<float> gradient, double rate, double scale,
              const Workspace& workspace);

  Index updates() const { return updates_; }

  // The state for a checkpoint; call set_updates after reading moments back.
  std::span<float> first_moment() const { return {first_moment_.floats(), count_}; }
  std::span<float> second_moment() const { return {second_moment_.floats(), count_}; }
  void set_updates(Index updates) { updates_ = updates; }

 private:
  template <class Body>
  void for_decay_parts(Stretch whole, const Body& body) const;

  AdamOptions options_;
  std::vector<Stretch> decayed_;
  std::size_t count_;
  Pages first_moment_;
  Pages second_moment_;
  Index updates_ = 0;
};

// The Euclidean norm, summed in the same order for any number of threads.
double gradient_norm(std::span<const float> gradient, const Workspace& workspace);

}  // namespace heed
