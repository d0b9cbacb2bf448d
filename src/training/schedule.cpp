#include "training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

double Schedule::peak_rate(Index d_model) const {
  return peak > 0.0 ? peak : 1.0 / std::sqrt(static_cast<double>(d_model * std::max<Index>(warmup, 1)));
}

double Schedule::rate(Index update, Index d_model) const {
  const auto step = static_cast<double>(update);
  const double warm = static_cast<double>(std::max<Index>(warmup, 1));
  if (kind == ScheduleKind::paper) {
    return peak_rate(d_model) * std::sqrt(warm) * std::min(1.0 / std::sqrt(step), step * std::pow(warm, -1.5));
  }
  if (step <= warm) return peak_rate(d_model) * step / warm;
  if (kind == ScheduleKind::constant) return peak_rate(d_model);
  const double left = std::max(0.0, (static_cast<double>(updates) - step) / (static_cast<double>(updates) - warm));
  if (kind == ScheduleKind::linear) return peak_rate(d_model) * left;
  return peak_rate(d_model) * 0.5 * (1.0 + std::cos(std::numbers::pi * (1.0 - left)));
}

}  // namespace heed
