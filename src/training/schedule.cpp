#include "training/schedule.h"

#include <algorithm>
#include <cmath>

namespace heed {

double Schedule::peak_rate(Index d_model) const {
  return peak > 0.0 ? peak : 1.0 / std::sqrt(static_cast<double>(d_model * std::max<Index>(warmup, 1)));
}

double Schedule::rate(Index update, Index d_model) const {
  const auto step = static_cast<double>(update);
  const double warm = static_cast<double>(std::max<Index>(warmup, 1));
  return peak_rate(d_model) * std::sqrt(warm) * std::min(1.0 / std::sqrt(step), step * std::pow(warm, -1.5));
}

}  // namespace heed
