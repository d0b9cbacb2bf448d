// Dropout(E[token] · √d_model + PE(position)).
#pragma once

#include "kernels/int8.h"
#include "layers/dropout.h"
#include "layers/workspace.h"

namespace heed {

// halves: sines in the first half of the channels, cosines in the second, as Tensor2Tensor and Marian lay them out.
enum class Positions { sinusoidal, halves, learned, none };

struct EmbeddingWeights {
  Matrix<float> tokens;      // (vocabulary, d_model)
  Matrix<float> positions;   // (max_positions, d_model); empty unless learned
  kernels::Int8Matrix int8;  // the tokens in integers; then `tokens` is a shape without numbers
};

constexpr int no_token = -1;  // embeds as zero: where the decoder starts without a start token

// PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(same); in halves the frequencies are
// 10000^(−i / (d_model/2 − 1)).
void sinusoid(Positions positions, Index position, std::span<float> row);

// The rows that positions 0 … count − 1 add: computed in the arena, or the learned ones; empty where there are none.
Matrix<const float> position_table(Positions positions, Index count, const EmbeddingWeights& weights,
                                   const Workspace& workspace);
// row = E[token] · √d_model + the position's row of the table
void embed_token(int token, Index position, const EmbeddingWeights& weights, Matrix<const float> table,
                 std::span<float> row) noexcept;

struct EmbeddingInput {
  std::span<const int> tokens;
  std::span<const Index> offsets;
  Positions positions;
  kernels::DropoutRate rate;
  std::span<const std::uint64_t> keys;
};

void embed(const EmbeddingInput& input, const EmbeddingWeights& weights, Matrix<float> x, const Workspace& workspace);
// Adds to the gradients; dx is used up.
void embed_backward(const EmbeddingInput& input, Matrix<float> dx, const EmbeddingWeights& gradient,
                    const Workspace& workspace);

}  // namespace heed
