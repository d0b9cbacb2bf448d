// Multi-head self-attention: Concat(head_1 … head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).
#pragma once

#include "layers/mixer.h"

namespace heed {

// Queries, keys and values of all heads in what the one product of the input gave.
template <class T>
Projections<T> split_projections(Matrix<T> projected, const AttentionShape& s) {
  return {projected.cols_from(0, s.key_width()), projected.cols_from(s.key_width(), s.key_width()),
          projected.cols_from(2 * s.key_width(), s.value_width())};
}

// The positions that a position sees.
kernels::Reach reach_of(const MixerShape& shape);

MixerTensors attention_tensors(const MixerShape& shape);
void mix_attention(const RaggedRows& x, const Mixer& mixer, Matrix<float> out, const Workspace& workspace,
                   MixerTrace* trace);
void mix_attention_backward(Matrix<const float> dout, const Mixer& mixer, const MixerTrace& trace,
                            const Mixer& gradient, Into dx, const Workspace& workspace);
MixerMemory attention_memory(const MixerShape& shape, kernels::CacheType type);
void attention_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
                    Matrix<float> out, const Workspace& workspace);

}  // namespace heed
