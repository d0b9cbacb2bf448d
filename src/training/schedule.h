// The paper's learning rate: d_model^−½ · min(step^−½, step · warmup^−1.5).
#pragma once

#include "base/index.h"

namespace heed {

struct Schedule {
  Index warmup = 4000;
  double peak = 0.0;  // the rate at the end of the warm-up; 0: the paper's, (d_model · warmup)^−½

  double peak_rate(Index d_model) const;
  double rate(Index update, Index d_model) const;  // updates count from 1
};

}  // namespace heed
