// One step of the decoder: each hypothesis feeds in its last token and gets the hidden state for its next one.
#pragma once

#include "decoding/cache.h"

namespace heed {

// A hypothesis as the decoder sees it.
struct StepRow {
  int token;  // its last one; no_token at a start from zero
  Index position;
  std::span<const std::int32_t> past;    // its rows of the cache at positions 0 … position; the step writes the last
  std::span<const std::int32_t> memory;  // its source's rows
  // Unless it is empty, gets the attention weights over the source's rows in layer attention_layer, from 0, added up
  // over the heads.
  std::span<float> attention = {};
  Index attention_layer = 0;
};

enum class Wanted { hidden, hidden_and_attention };  // without the latter, what rows ask of attention is ignored

// Returns the hidden states (rows, d_model), which live in the arena. `positions` is the target's position_table. A
// row's bits do not depend on the other rows.
Matrix<const float> decode_step(const Transformer& model, std::span<const StepRow> rows, Matrix<const float> positions,
                                const Cache& cache, Wanted wanted, const Workspace& workspace);

}  // namespace heed
