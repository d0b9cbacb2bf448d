// Lines of trees, their linearisations, and the brackets that EVALB's rules see in them.
#include "trees/tree.h"

#include "fuzz.h"
#include "metrics/brackets.h"
#include "trees/linearise.h"

namespace heed::fuzz {

std::vector<std::string> seeds() {
  using namespace treebank;
  const std::string line = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat)) (. .)))";
  Tree tree;
  parse_tree(line, tree);
  return {line,
          "( (S(NP-SBJ ( DT the )(NN c\xc3\xa4t))(VP=2(VBD sat))  (-NONE- *)))",
          linearise(tree, Form::tags),
          linearise(tree, Form::xx),
          linearise(tree, Form::short_ends),
          "(S (A/1 x) (B/2 y) (/1 z) (/ w))",
          std::string(5000, '('),
          ""};
}

}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  using namespace heed::treebank;
  using namespace heed::fuzz;
  const std::string line(text_of(data, size));
  attempt([&] {
    const std::vector<std::string_view> words{"a", "b", "c", "d"};
    for (const Form form : {Form::tags, Form::xx, Form::short_ends}) {
      const Tree tree = repair(line, words, form);
      require(words_of(tree).size() == words.size(), "a word is lost");
      Tree back;
      require(!parse_tree(write_tree(tree), back) && back == tree, "a repaired tree is not read back");
    }
    const metrics::BracketCounts counts = metrics::compare_brackets(line, line, nullptr, {});
    require(counts.matched == counts.gold && counts.gold == counts.test, "a line does not match itself");
    Tree tree;
    if (const auto flaw = parse_tree(line, tree)) {
      require(flaw->byte >= 1 && flaw->byte <= line.size() && tree.empty(), "the flaw has no place");
      throw Error(flaw->text);
    }
    Tree back;
    require(!parse_tree(write_tree(tree), back) && back == tree, "a tree is not read back");
    const std::vector<std::string> own = words_of(tree);
    const std::vector<std::string_view> views(own.begin(), own.end());
    require(!delinearise(linearise(tree, Form::short_ends), views, Form::short_ends, back) && back == with_top(tree),
            "a linearisation is not read back");
  });
  return 0;
}
