// Trees as sequences of symbols without words, the target side of a parser, and back.
//
//     (TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))
//     tags    (S (NP DT NN )NP (VP VBD )VP . )S
//     xx      (S (NP XX XX )NP (VP XX )VP XX )S
//     short   (S (NP DT NN/1 (VP VBD/1 ./1
//
// An outer TOP is left out, and reading back puts one around every tree. The i-th word symbol stands for the i-th word.
// In `short` a word symbol has the number of brackets that end after it. Pure functions; any thread may call them.
#pragma once

#include "base/enum_names.h"
#include "trees/tree.h"

namespace heed::treebank {

enum class Form {
  tags,        // as in Tensor2Tensor
  xx,          // tags replaced by XX, as in Vinyals et al. (2015)
  short_ends,  // a third fewer symbols
};

std::string linearise(const Tree& tree, Form form);

// The number of brackets that end after a word symbol of the short form.
std::size_t ends_of(std::string_view word_symbol);

// Reads a linearisation; of a malformed one it returns the first flaw and leaves the tree empty. Words may hold
// brackets, which become -LRB- and -RRB-. Nothing at all is an empty tree.
std::optional<Flaw> delinearise(std::string_view line, std::span<const std::string_view> words, Form form, Tree& tree);

// The tree of any line at all: the same as delinearise for a well-formed one. Otherwise ends that match no open
// bracket, symbols that are none and word symbols beyond the words are dropped, an end that matches an outer bracket
// closes those inside it, missing words (with the tag XX) go to the innermost open bracket, open brackets are closed
// and empty ones dropped; a tree without phrases gets an S. Without words the tree is empty.
Tree repair(std::string_view line, std::span<const std::string_view> words, Form form);

}  // namespace heed::treebank

template <>
struct heed::EnumNames<heed::treebank::Form> {
  static constexpr std::array names{"tags", "xx", "short"};
};
