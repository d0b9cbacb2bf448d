// Reads files of trees, one a line: plain, .gz or .zst.
#pragma once

#include <filesystem>

#include "data/lines.h"
#include "trees/tree.h"

namespace heed::treebank {

// The Error for a line of a file: name, line, place and what is wrong.
[[noreturn]] void refuse_line(const std::string& file, Index line, const Flaw& flaw);

class TreeReader {
 public:
  // Throws Error if the file cannot be read.
  explicit TreeReader(const std::filesystem::path& path) : name_(path.string()), lines_(path) {}

  // False at the end; a blank line is an empty tree. Throws Error for a line that is not a tree.
  bool next(Tree& tree);
  Index line_number() const { return lines_.line_number(); }  // of the last tree, from 1
  double share_read() const { return lines_.share_read(); }

 private:
  std::string name_;
  LineReader lines_;
  std::string line_;
};

}  // namespace heed::treebank
