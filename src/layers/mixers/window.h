// Restricted (sliding-window) self-attention: a position sees those within a window and the first ones, the globals;
// with Sight::whole the globals see all. Everything else is as in attention; a window that covers the whole sentence
// gives the same bits.
#pragma once

#include "layers/mixer.h"

namespace heed {

// Reads only the rows of the globals and of the window, each once.
void window_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
                 Matrix<float> out, const Workspace& workspace);

}  // namespace heed
