#include "base/progress.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Progress, TimesReadAsOnAClock) {
  EXPECT_EQ(clock_time(0.4), "0:00");
  EXPECT_EQ(clock_time(65.0), "1:05");
  EXPECT_EQ(clock_time(7384.0), "2:03:04");
}

TEST(Progress, QuickWorkIsOneLineAtItsEnd) {
  testing::internal::CaptureStderr();
  Progress progress("working", 200);
  for (Index done = 0; done <= 200; ++done) progress.show(done, "loss 1.5");
  progress.show(200);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "working 100 %  0:00 total  loss 1.5\n");
}

TEST(Progress, QuickWorkIsSilentWhereThatIsAskedFor) {
  testing::internal::CaptureStderr();
  Progress progress("working", 200, 0, QuickWork::silent);
  for (Index done = 0; done <= 200; ++done) progress.show(done);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, APrintedLineBringsNoProgressForward) {
  testing::internal::CaptureStderr();
  Progress progress("working", 200);
  progress.print("a note");
  progress.show(100);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a note\n");
}

TEST(Progress, WorkWithoutStepsIsDoneAtOnce) {
  testing::internal::CaptureStderr();
  Progress progress("nothing", 0);
  progress.show(1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("100 %"), std::string::npos);
}

}  // namespace
}  // namespace heed
