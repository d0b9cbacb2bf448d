// Lines of words to parse, and their trees.
//
// A word is what stands between white space or control characters. A line that is too long is parsed in parts of whole
// words, whose trees come under one S.
#pragma once

#include "decoding/codec.h"
#include "decoding/step_model.h"
#include "heed/parser.h"
#include "parsing/tree_grammar.h"
#include "text/tokenizer_files.h"

namespace heed {

class TreeCodec : public Codec {
 public:
  // A part has at most max_source_length pieces; 0: 512. Throws Error if the target vocabulary cannot write trees.
  TreeCodec(TokenizerPair tokenizers, treebank::Form form, StepModels models, Index max_source_length,
            Constraint constraint);

  EncodedLine encode(const std::string& line) const override;
  // Parses have no prefix.
  Tokens encode_prefix(const std::string& prefix) const override;
  // The text of a result is its tree; it is not finished if the tree had to be repaired.
  std::vector<Translation> decode(const EncodedLine& line, std::span<const std::vector<Hypothesis>> found,
                                  const SearchOptions& options) const override;
  std::string about_parts(const EncodedLine& line) const override;
  std::string about_unfinished() const override { return ""; }

 private:
  void append_part(std::size_t begin, std::size_t end, EncodedLine& line) const;
  treebank::Tree tree_of(const Hypothesis& hypothesis, std::span<const std::string> words, bool& well_formed) const;

  TokenizerPair tokenizers_;
  treebank::Form form_;
  std::shared_ptr<const TreeSymbols> symbols_;
  Constraint constraint_;
  Index longest_part_;  // pieces
  Index most_words_;    // of a part
};

}  // namespace heed
