#include "training/schedule.h"

#include <algorithm>
#include <cmath>

namespace heed {

double Schedule::rate(Index update, Index d_model) const {
  const auto step = static_cast<double>(update);
  const double warm = static_cast<double>(std::max<Index>(warmup, 1));
  const double factor = peak > 0.0 ? peak * std::sqrt(warm) : 1.0 / std::sqrt(static_cast<double>(d_model));
  return factor * std::min(1.0 / std::sqrt(step), step * std::pow(warm, -1.5));
}

}  // namespace heed
