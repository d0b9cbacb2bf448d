// The floor of a training step: the bare matrix products of every linear layer and of the logits, at the step's own
// shapes, each by the faster of oneDNN and our own kernel.
#pragma once

#include <string>
#include <vector>

#include "bench/onednn.h"
#include "layers/workspace.h"
#include "model/config.h"

namespace heed::bench {

enum class Direction { forward, input_gradient, weight_gradient };  // y = x Wᵀ, dx = dy W, dW += dyᵀ x

// A linear layer's product over `rows` tokens, and how often a step computes it.
struct LinearProduct {
  Direction direction;
  Index rows;
  Index in;
  Index out;
  Index count;

  double flops() const { return 2.0 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out); }
};

// The products of a step over this many source and target tokens, with equal ones counted together.
std::vector<LinearProduct> products_of_step(const Config& config, Index source_tokens, Index target_tokens);

// Seconds of one product by each contender; infinity if it cannot run.
struct ProductTimes {
  double ours;
  double onednn;          // its own threads
  double onednn_workers;  // single-threaded in each of our workers, rows split evenly

  double best() const;
};

// Measures a product a few times, the contenders in turn, over operands that are no longer in the cache, and returns
// medians.
ProductTimes time_product(const LinearProduct& product, const OneDnn& onednn, const Workspace& workspace);

}  // namespace heed::bench
