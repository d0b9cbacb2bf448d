// Draws a tree for people, a node a line:
//
//     TOP
//     └─ S
//        ├─ NP
//        │  ├─ DT the
//        │  └─ NN cat
//        └─ VP
//           └─ VBD sat
#pragma once

#include "trees/tree.h"

namespace heed::treebank {

// Each line ends in \n; an empty tree has none.
std::string draw(const Tree& tree);

}  // namespace heed::treebank
