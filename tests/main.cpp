// Chooses the instruction set before any test; a level that HEED_ISA names and this machine lacks skips the program.
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
