#include "parsing/tree_codec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/figures.h"
#include "base/special_tokens.h"
#include "decoding/search.h"
#include "text/controls.h"
#include "text/utf8.h"

namespace heed {
namespace {

using treebank::Tree;

constexpr Index usual_longest_part = 512;

// Several trees, which have TOP, as the parts of one.
Tree joined(std::span<const Tree> trees) {
  if (trees.size() == 1) return trees[0];
  Tree all;
  all.nodes = {{"TOP", "", 0}, {"S", "", 0}};
  for (const Tree& tree : trees) {
    // What was node 1 of the part, the first below its TOP, comes at the end of what there is.
    const std::size_t moved_by = all.nodes.size() - 1;
    for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
      treebank::Node node = tree.nodes[i];
      node.end += moved_by;
      all.nodes.push_back(std::move(node));
    }
  }
  all.nodes[0].end = all.nodes[1].end = all.nodes.size();
  return all;
}

}  // namespace

TreeCodec::TreeCodec(TokenizerPair tokenizers, treebank::Form form, StepModels models, Index max_source_length,
                     Constraint constraint)
    : tokenizers_(std::move(tokenizers)),
      form_(form),
      symbols_(std::make_shared<TreeSymbols>(*tokenizers_.target, form)),
      constraint_(constraint),
      longest_part_(max_source_length > 0 ? max_source_length : usual_longest_part),
      most_words_(longest_part_) {
  for (const StepModel* model : models) {
    const Index most = model->limits().positions - 1;
    longest_part_ = std::min(longest_part_, most);
    most_words_ = std::min(most_words_, most / TreeGrammar::room_for(1));
  }
  if (most_words_ < 1) throw Error("the model has too few positions for a tree; use another model");
}

EncodedLine TreeCodec::encode(const std::string& line) const {
  EncodedLine encoded;
  std::string text = replace_invalid_utf8(line);
  // So that the tree stays on its line.
  blank_line_breaks(text);
  for (const std::string_view word : treebank::split_at_spaces(text)) {
    encoded.words.push_back(treebank::without_brackets(word));
  }
  if (!encoded.words.empty()) append_part(0, encoded.words.size(), encoded);
  return encoded;
}

void TreeCodec::append_part(std::size_t begin, std::size_t end, EncodedLine& line) const {
  const auto words = static_cast<Index>(end - begin);
  const auto longest = static_cast<std::size_t>(longest_part_);
  Tokens tokens = tokenizers_.source->encode(
      fmt::format("{}", fmt::join(line.words.begin() + static_cast<std::ptrdiff_t>(begin),
                                  line.words.begin() + static_cast<std::ptrdiff_t>(end), " ")));
  if (words > 1 && (words > most_words_ || tokens.size() > longest)) {
    const std::size_t middle = begin + (end - begin) / 2;
    append_part(begin, middle, line);
    append_part(middle, end, line);
    return;
  }
  // A single word of more pieces than fit: its beginning has to do.
  if (tokens.size() > longest) tokens.resize(longest);
  tokens.push_back(end_token);
  line.parts.push_back(std::move(tokens));
  line.word_ends.push_back(end);
  if (constraint_ == Constraint::tree) line.grammars.push_back(std::make_shared<TreeGrammar>(symbols_, words));
}

Tokens TreeCodec::encode_prefix(const std::string& /*prefix*/) const { return {}; }

Tree TreeCodec::tree_of(const Hypothesis& hypothesis, std::span<const std::string> words, bool& well_formed) const {
  const std::vector<std::string_view> views(words.begin(), words.end());
  Tokens tokens = hypothesis.tokens;
  if (std::erase_if(tokens, [](int token) { return token <= end_token; }) > 0) well_formed = false;
  // Not the tokenizer's text, in which pieces may be joined.
  const std::string symbols = fmt::format("{}", fmt::join(tokenizers_.target->pieces(tokens), " "));
  Tree tree;
  const auto flaw = delinearise(symbols, views, form_, tree);
  if (!flaw) return tree;
  // The grammar lets the last word of the short form leave brackets open, if no symbol has that many ends.
  const bool left_open = form_ == treebank::Form::short_ends && flaw->fault == treebank::Fault::not_closed;
  if (constraint_ == Constraint::none || !left_open) well_formed = false;
  return repair(symbols, views, form_);
}

std::vector<Translation> TreeCodec::decode(const EncodedLine& line, std::span<const std::vector<Hypothesis>> found,
                                           const SearchOptions& options) const {
  if (line.parts.empty()) return {Translation{}};
  std::size_t count = found[0].size();
  for (const auto& part : found) count = std::min(count, part.size());
  std::vector<Translation> results(count);
  for (std::size_t i = 0; i < count; ++i) {
    Translation& result = results[i];
    std::vector<Tree> trees;
    Index symbols = 0;
    for (std::size_t p = 0; p < line.parts.size(); ++p) {
      const std::size_t begin = p == 0 ? 0 : line.word_ends[p - 1];
      const Hypothesis& hypothesis = found[p][i];
      trees.push_back(
          tree_of(hypothesis, std::span(line.words).subspan(begin, line.word_ends[p] - begin), result.finished));
      result.log_probability += hypothesis.log_probability;
      symbols += static_cast<Index>(hypothesis.tokens.size()) + 1;
    }
    result.text = write_tree(joined(trees));
    result.score = result.log_probability / length_penalty(symbols, options);
  }
  return results;
}

std::string TreeCodec::about_parts(const EncodedLine& line) const {
  return fmt::format("has {} and is parsed in {} parts: a part has at most {} and {}",
                     counted(line.words.size(), "word"), line.parts.size(), counted(most_words_, "word"),
                     counted(longest_part_, "piece"));
}

}  // namespace heed
