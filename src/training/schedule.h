// The learning rate schedule: a linear warm-up to the peak, then one of four courses.
//
//   paper     peak · √(warmup / step); with the default peak the whole course, warm-up included, is the paper's
//             d_model^−½ · min(step^−½, step · warmup^−1.5)
//   linear    straight down to 0 at the last update
//   cosine    half a cosine down to 0 at the last update
//   constant  stays at the peak
#pragma once

#include "base/enum_names.h"
#include "base/index.h"

namespace heed {

enum class ScheduleKind { paper, linear, cosine, constant };
template <>
struct EnumNames<ScheduleKind> {
  static constexpr std::array names{"paper", "linear", "cosine", "constant"};
};

// Whether the rate depends on the number of updates.
constexpr bool has_an_end(ScheduleKind kind) { return kind == ScheduleKind::linear || kind == ScheduleKind::cosine; }

struct Schedule {
  Index warmup = 4000;
  double peak = 0.0;  // the rate at the end of the warm-up; 0: the paper's, (d_model · warmup)^−½
  ScheduleKind kind = ScheduleKind::paper;
  Index updates = 0;  // the last update, for linear and cosine; more than warmup

  double peak_rate(Index d_model) const;
  double rate(Index update, Index d_model) const;  // updates count from 1
};

}  // namespace heed
