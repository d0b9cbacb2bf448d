#include "training/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(Schedule, IsThePaperFormula) {
  const Schedule schedule;
  EXPECT_DOUBLE_EQ(schedule.rate(1, 512), 1.0 / std::sqrt(512.0) * std::pow(4000.0, -1.5));
  EXPECT_DOUBLE_EQ(schedule.rate(4000, 512), 1.0 / std::sqrt(512.0 * 4000.0));
  EXPECT_DOUBLE_EQ(schedule.rate(100000, 512), 1.0 / std::sqrt(512.0 * 100000.0));
}

TEST(Schedule, RisesToAChosenPeakAndFalls) {
  const Schedule schedule{.warmup = 100, .peak = 0.005};
  EXPECT_NEAR(schedule.rate(100, 512), 0.005, 1e-12);
  EXPECT_NEAR(schedule.rate(50, 512), 0.0025, 1e-12);
  EXPECT_NEAR(schedule.rate(400, 512), 0.0025, 1e-12);
}

TEST(Schedule, WithoutWarmUpStartsAtThePeak) {
  const Schedule schedule{.warmup = 0, .peak = 0.1};
  EXPECT_NEAR(schedule.rate(1, 8), 0.1, 1e-12);
}

TEST(Schedule, LinearAndCosineFallToZeroAtTheLastUpdate) {
  const Schedule linear{.warmup = 10, .peak = 0.5, .kind = ScheduleKind::linear, .updates = 110};
  EXPECT_DOUBLE_EQ(linear.rate(5, 512), 0.25);
  EXPECT_DOUBLE_EQ(linear.rate(10, 512), 0.5);
  EXPECT_DOUBLE_EQ(linear.rate(60, 512), 0.25);
  EXPECT_DOUBLE_EQ(linear.rate(110, 512), 0.0);
  EXPECT_DOUBLE_EQ(linear.rate(120, 512), 0.0);
  const Schedule cosine{.warmup = 10, .peak = 0.5, .kind = ScheduleKind::cosine, .updates = 110};
  EXPECT_DOUBLE_EQ(cosine.rate(5, 512), 0.25);
  EXPECT_DOUBLE_EQ(cosine.rate(35, 512), 0.25 * (1.0 + std::cos(0.25 * std::acos(-1.0))));
  EXPECT_NEAR(cosine.rate(60, 512), 0.25, 1e-12);
  EXPECT_NEAR(cosine.rate(110, 512), 0.0, 1e-12);
}

TEST(Schedule, ConstantStaysAtThePeak) {
  const Schedule schedule{.warmup = 100, .peak = 0.0, .kind = ScheduleKind::constant};
  EXPECT_DOUBLE_EQ(schedule.rate(50, 512), 0.5 / std::sqrt(512.0 * 100.0));
  EXPECT_DOUBLE_EQ(schedule.rate(100000, 512), 1.0 / std::sqrt(512.0 * 100.0));
}

}  // namespace
}  // namespace heed
