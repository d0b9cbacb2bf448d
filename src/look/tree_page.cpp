#include "look/tree_page.h"

#include "base/script_text.h"
#include "trees/tree.h"

namespace heed {

std::string_view trees_html();  // web/trees.html, embedded at build time

namespace look {
namespace {

using Json = nlohmann::ordered_json;

// A phrase is [label, child, …], a word [tag, "word"]; a blank line is [].
Json tree_json(const treebank::Tree& tree) {
  std::vector<Json> open;
  std::vector<std::size_t> ends;
  Json root = Json::array();
  const auto close = [&] {
    Json done = std::move(open.back());
    open.pop_back();
    ends.pop_back();
    if (open.empty()) {
      root = std::move(done);
    } else {
      open.back().push_back(std::move(done));
    }
  };
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const treebank::Node& node = tree.nodes[i];
    open.push_back(Json::array({node.label}));
    if (node.is_word()) open.back().push_back(node.word);
    ends.push_back(node.end);
    while (!ends.empty() && ends.back() == i + 1) close();
  }
  return root;
}

}  // namespace

std::string render_trees(std::span<const Parse> parses) {
  Json data = Json::array();
  for (const Parse& parse : parses) {
    treebank::Tree tree;
    treebank::parse_tree(parse.tree, tree);
    data.push_back({{"tree", tree_json(tree)}, {"log_probability", parse.log_probability}});
  }
  return replace_mark(trees_html(), "/*TREES*/", script_text(Json{{"version", HEED_VERSION}, {"sentences", data}}));
}

}  // namespace look
}  // namespace heed
