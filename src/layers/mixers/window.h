// Restricted self-attention: a position sees those within a window and the first ones, the globals; with Sight::whole
// the globals see all. What is not here is as in attention, of which a window that holds the whole sentence has the
// bits.
#pragma once

#include "layers/mixer.h"

namespace heed {

// Reads the rows of the globals and of the window alone, none of them twice.
void window_step(Matrix<const float> x, std::span<const StepRow> rows, const Mixer& mixer, const MixerRows& kept,
                 Matrix<float> out, const Workspace& workspace);

}  // namespace heed
