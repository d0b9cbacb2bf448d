// A simpler simple recurrent unit (Kim et al. 2019): x̃ = W x and f = σ(W_f x + b_f) from one product, then the scan
// c_t = f_t ∘ c_{t−1} + (1 − f_t) ∘ x̃_t and h_t = max(0, c_t); there is no W^O.
//
// Where a layer sees the whole sentence, the first half of the channels runs forwards in time, the second backwards.
#pragma once

#include "layers/mixer.h"

namespace heed {

MixerTensors ssru_tensors(const MixerShape& shape);
void mix_ssru(const RaggedRows& x, const Mixer& mixer, Matrix<float> out, const Workspace& workspace,
              MixerTrace* trace);
void mix_ssru_backward(Matrix<const float> dout, const Mixer& mixer, const MixerTrace& trace, const Mixer& gradient,
                       Into dx, const Workspace& workspace);
MixerMemory ssru_memory(const MixerShape& shape, kernels::CacheType type);
void ssru_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
               Matrix<float> out, const Workspace& workspace);

}  // namespace heed
