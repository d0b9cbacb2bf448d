// A treebank as parallel text: the words of each tree, separated by spaces, and its linearisation.
#pragma once

#include "data/corpus.h"
#include "trees/linearise.h"

namespace heed::treebank {

CorpusFiles tree_corpus(const std::filesystem::path& file, Form form);

}  // namespace heed::treebank
