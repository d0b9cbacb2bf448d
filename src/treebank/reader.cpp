#include "treebank/reader.h"

#include <fmt/format.h>

#include "heed/error.h"

namespace heed::treebank {

void refuse_line(const std::string& file, Index line, const Flaw& flaw) {
  throw Error(fmt::format("treebank '{}': line {}, byte {}: {}", file, line, flaw.byte, flaw.text));
}

bool TreeReader::next(Tree& tree) {
  if (!lines_.next(line_)) return false;
  if (const auto flaw = parse_tree(line_, tree)) refuse_line(name_, lines_.line_number(), *flaw);
  return true;
}

}  // namespace heed::treebank
