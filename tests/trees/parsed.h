// The tree of a line that a test knows to be one.
#pragma once

#include <gtest/gtest.h>

#include "trees/tree.h"

namespace heed::treebank {

inline Tree parsed(const std::string& line) {
  Tree tree;
  const auto flaw = parse_tree(line, tree);
  EXPECT_FALSE(flaw) << line << ": " << flaw->text;
  return tree;
}

}  // namespace heed::treebank
