#include "trees/draw.h"

namespace heed::treebank {

std::string draw(const Tree& tree) {
  std::string text;
  std::vector<std::size_t> open;  // the nodes around the current one, from the outermost
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    while (!open.empty() && tree.nodes[open.back()].end <= i) open.pop_back();
    // A node is the last one in its bracket if both end at the same place.
    const auto is_last = [&](std::size_t level) {
      const std::size_t inner = level + 1 < open.size() ? open[level + 1] : i;
      return tree.nodes[inner].end == tree.nodes[open[level]].end;
    };
    for (std::size_t level = 0; level + 1 < open.size(); ++level) text += is_last(level) ? "   " : "│  ";
    if (!open.empty()) text += is_last(open.size() - 1) ? "└─ " : "├─ ";
    text += node.label;
    if (node.is_word()) text += " " + node.word;
    text += '\n';
    if (!node.is_word()) open.push_back(i);
  }
  return text;
}

}  // namespace heed::treebank
