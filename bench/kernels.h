// The speed of single kernels; for products, also that of oneDNN.
#pragma once

#include <string>
#include <vector>

#include "model/config.h"

namespace heed::bench {

struct KernelFigure {
  std::string name;
  double ours;    // in `unit`
  double onednn;  // 0: no counterpart, or not installed
  std::string unit;
};

// Products, attention, layer norm and the optimiser at a model's shapes and this many tokens.
std::vector<KernelFigure> bench_kernels(const Config& config, Index tokens, Index length, int threads);

}  // namespace heed::bench
