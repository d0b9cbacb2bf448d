// English sentences with their parse trees, by a small grammar: toy treebanks.
//
// Pure functions of the key. Words decide what a phrase belongs to, as in "the roof of the house" and "saw it with a
// lamp", so that there is one right tree and it can be learned: what follows a relative clause belongs to the verb
// outside of it.
#pragma once

#include <cstdint>

#include "synthetic/problems.h"

namespace heed::synthetic {

// The question is the words, the answer the tree:
// "the cat sat ." → "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))"
Problem tree_problem(std::uint64_t key);

}  // namespace heed::synthetic
