// One stack of layers for encoder and decoder: each layer is a mixer, attention over a memory if there is one, and
// feed-forward, each with its residual connection.
#pragma once

#include "model/parameters.h"
#include "model/silenced.h"

namespace heed {

struct LayerTrace {
  MixerTrace mixer;
  ResidualTrace mixer_residual;
  MemoryAttentionTrace memory;
  ResidualTrace memory_residual;
  FeedForwardTrace feed_forward;
  ResidualTrace feed_forward_residual;
};

struct StackTrace {
  std::span<LayerTrace> layers;
  Matrix<const float> norm_input;  // of the final norm, if there is one
  std::span<kernels::NormStats> norm_stats;
};

// What stays the same from layer to layer of a pass.
struct Pass {
  const Dropout& dropout;
  int first_site;  // numbers the dropout masks of the stack
  const Workspace& workspace;
  std::span<const Silenced> silenced = {};  // for each sentence a head of a mixer without output; empty: none
  Index layer = 0;                          // where the pass is
};

// Returns the output (rows of x, d_model), which lives in the arena. `memory` is null in a stack that reads none; a
// null trace means inference.
Matrix<const float> run_stack(const Stack& stack, RaggedRows x, const RaggedRows* memory, const Pass& pass,
                              StackTrace* trace);

// dx holds the gradient of the output and is replaced by that of the input; dmemory is added to.
void run_stack_backward(const Stack& stack, const StackTrace& trace, Matrix<float> dx, Matrix<float> dmemory,
                        const Stack& gradient, const Pass& pass);

// The layer norm that ends a stack; x itself if there is none.
Matrix<const float> final_norm(Matrix<const float> x, const Stack& stack, const Workspace& workspace,
                               StackTrace* trace);

}  // namespace heed
