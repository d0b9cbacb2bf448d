#include "layers/mixer.h"

#include "layers/mixers/attention.h"
#include "layers/mixers/ssru.h"
#include "layers/mixers/window.h"

namespace heed {
namespace {

struct Kind {
  decltype(&mixer_tensors) tensors;
  decltype(&mix) forward;
  decltype(&mix_backward) backward;
  decltype(&mixer_memory) memory;
  decltype(&mix_step) step;
};

// In the order of MixerKind.
constexpr Kind kinds[] = {
    {attention_tensors, mix_attention, mix_attention_backward, attention_memory, attention_step},
    {attention_tensors, mix_attention, mix_attention_backward, attention_memory, window_step},
    {ssru_tensors, mix_ssru, mix_ssru_backward, ssru_memory, ssru_step},
};

const Kind& kind_of(const MixerShape& shape) { return kinds[static_cast<std::size_t>(shape.kind)]; }

}  // namespace

MixerTensors mixer_tensors(const MixerShape& shape) { return kind_of(shape).tensors(shape); }

void mix(const RaggedRows& x, const Mixer& mixer, Matrix<float> out, const Workspace& workspace, MixerTrace* trace) {
  kind_of(mixer.shape).forward(x, mixer, out, workspace, trace);
}

void mix_backward(Matrix<const float> dout, const Mixer& mixer, const MixerTrace& trace, const Mixer& gradient, Into dx,
                  const Workspace& workspace) {
  kind_of(mixer.shape).backward(dout, mixer, trace, gradient, dx, workspace);
}

MixerMemory mixer_memory(const MixerShape& shape, kernels::CacheType type) {
  return kind_of(shape).memory(shape, type);
}

void mix_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
              Matrix<float> out, const Workspace& workspace) {
  kind_of(mixer.shape).step(x, rows, mixer, kept, out, workspace);
}

}  // namespace heed
