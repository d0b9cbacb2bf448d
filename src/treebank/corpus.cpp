#include "treebank/corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "treebank/reader.h"

namespace heed::treebank {
namespace {

template <Form form>
void split_tree(const std::string& file, Index number, std::string& source, std::string& target) {
  Tree tree;
  if (const auto flaw = parse_tree(source, tree)) refuse_line(file, number, *flaw);
  source = fmt::format("{}", fmt::join(words_of(tree), " "));
  target = linearise(tree, form);
}

}  // namespace

CorpusFiles tree_corpus(const std::filesystem::path& file, Form form) {
  CorpusFiles files{.source = file};
  switch (form) {
    case Form::tags: files.split = split_tree<Form::tags>; break;
    case Form::xx: files.split = split_tree<Form::xx>; break;
    case Form::short_ends: files.split = split_tree<Form::short_ends>; break;
  }
  return files;
}

}  // namespace heed::treebank
