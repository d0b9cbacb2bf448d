#include "trees/draw.h"

#include <gtest/gtest.h>

#include "trees/parsed.h"

namespace heed::treebank {
namespace {

TEST(Draw, ANodeALineWithBranches) {
  EXPECT_EQ(draw(parsed("(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))")),
            "TOP\n"
            "└─ S\n"
            "   ├─ NP\n"
            "   │  ├─ DT the\n"
            "   │  └─ NN cat\n"
            "   ├─ VP\n"
            "   │  └─ VBD sat\n"
            "   └─ . .\n");
}

TEST(Draw, AWordAloneAndNothing) {
  EXPECT_EQ(draw(parsed("(NN cat)")), "NN cat\n");
  EXPECT_EQ(draw({}), "");
}

}  // namespace
}  // namespace heed::treebank
