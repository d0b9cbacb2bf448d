// Whether numbers are still numbers: a diverged run has infinities and NaNs in its weights or moments.
#pragma once

#include <span>

#include "layers/workspace.h"

namespace heed {

bool all_finite(std::span<const float> values, const Workspace& workspace);

}  // namespace heed
