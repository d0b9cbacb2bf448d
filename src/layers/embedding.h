// Dropout(E[token] · √d_model + PE(position)), with a layer norm before the dropout if the model has one.
#pragma once

#include "base/enum_names.h"
#include "base/special_tokens.h"
#include "kernels/int8.h"
#include "layers/dropout.h"
#include "layers/layer_norm.h"
#include "layers/workspace.h"

namespace heed {

// halves: sines in the first half of the channels, cosines in the second, with Marian's and Tensor2Tensor's
// frequencies; halves_paper: the same layout with the paper's frequencies, as in Hugging Face.
enum class Positions { sinusoidal, halves, learned, none, halves_paper };
template <>
struct EnumNames<Positions> {
  static constexpr std::array names{"sinusoidal", "halves", "learned", "none", "halves-paper"};
};

struct EmbeddingWeights {
  Positions kind = Positions::sinusoidal;
  Index position_start = 0;  // the number of a sentence's first position
  float scale = 1.0f;        // of a token's row
  Matrix<float> tokens;      // (vocabulary, d_model)
  Matrix<float> positions;   // (max_positions, d_model); empty unless learned
  LayerNorm norm;            // without data if there is none
  kernels::Int8Matrix int8;  // quantised tokens; `tokens` is then a shape without data
};

// PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(same); in halves the frequencies are
// 10000^(−i / (d_model/2 − 1)).
void sinusoid(Positions positions, Index position, std::span<float> row);

// The position embeddings of the first `count` positions: computed in the arena, or the learned ones; empty if there
// are none.
Matrix<const float> position_table(const EmbeddingWeights& weights, Index count, const Workspace& workspace);
// row = E[token] · scale + the position's row of the table
void embed_token(int token, Index position, const EmbeddingWeights& weights, Matrix<const float> table,
                 std::span<float> row) noexcept;

struct EmbeddingInput {
  std::span<const int> tokens;
  std::span<const Index> offsets;
  kernels::DropoutRate rate;
  std::span<const std::uint64_t> keys;
};

struct EmbeddingTrace {
  EmbeddingInput input;
  Matrix<const float> norm_input;  // if there is a norm
  std::span<kernels::NormStats> stats;
};

// Returns the rows (tokens, d_model), which live in the arena.
Matrix<const float> embed(const EmbeddingInput& input, const EmbeddingWeights& weights, const Workspace& workspace,
                          EmbeddingTrace* trace);
// Adds to the gradients; dx is overwritten.
void embed_backward(const EmbeddingTrace& trace, Matrix<float> dx, const EmbeddingWeights& weights,
                    const EmbeddingWeights& gradient, const Workspace& workspace);

}  // namespace heed
