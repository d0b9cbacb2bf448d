// Selects the instruction set before any test; if this machine lacks the one in HEED_ISA, all tests are skipped.
#include <gtest/gtest.h>

#include <cstdio>

#include "heed/error.h"
#include "kernels/isa.h"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  try {
    heed::kernels::choose_isa();
  } catch (const heed::Error& error) {
    std::fprintf(stderr, "skipped: %s\n", error.what());
    return skipped;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
