// Detects divergence: infinities and NaNs in weights or moments.
#pragma once

#include <span>

#include "layers/workspace.h"

namespace heed {

bool all_finite(std::span<const float> values, const Workspace& workspace);

}  // namespace heed
