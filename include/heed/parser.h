// Parses sentences into constituency trees with a model of 'heed train --task parse'.
//
//     heed::Parser parser("model");
//     std::cout << parser.parse("it sat .").tree << '\n';  // (TOP (S (NP (PRP it)) (VP (VBD sat)) (. .)))
//
// A sentence is a line of words separated by spaces, punctuation included, as in a treebank; brackets in them become
// -LRB- and -RRB-. One Parser may be used by any number of threads at once, and every failure throws heed::Error. So
// does every member of a moved-from Parser, except assignment and the destructor.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/error.h"
#include "heed/options.h"

namespace heed {

struct Parse {
  std::string tree;              // in brackets, on one line; empty for a blank line
  double log_probability = 0.0;  // log P of the tree's symbols
  double score = 0.0;            // log P / lp
  bool well_formed = true;       // false: what the model wrote had to be repaired; only without constraint
};

// tree: search only among well-formed trees with all words; none: repair what comes out.
enum class Constraint { tree, none };

// The defaults are the paper's choices for parsing.
struct ParseOptions {
  int beam = 21;
  float alpha = 0.3f;
  LengthPenalty length_penalty = LengthPenalty::paper;
  int n_best = 1;  // trees per sentence, at most the beam
  // A tree has at most this many symbols more than the sentence has pieces, but always room for three a word.
  int extra_length = 300;
  Constraint constraint = Constraint::tree;
};

class __attribute__((visibility("default"))) Parser {
 public:
  explicit Parser(const std::filesystem::path& folder, const ModelOptions& options = {});
  // An ensemble of models that share a vocabulary.
  explicit Parser(std::span<const std::filesystem::path> folders, const ModelOptions& options = {});
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;
  ~Parser();

  // Beam, alpha and length penalty as the model records them.
  ParseOptions default_options() const;
  // What could not be verified about the files; usually nothing.
  std::vector<std::string> notes() const;

  // The best tree of one sentence.
  Parse parse(std::string_view sentence) const { return parse(sentence, default_options()); }
  Parse parse(std::string_view sentence, const ParseOptions& options) const;
  // The trees of each sentence, best first: at least one, and at most n_best.
  std::vector<std::vector<Parse>> parse(std::span<const std::string> sentences, const ParseOptions& options) const;

  // Sentences that arrive over time; the functions and their threads are those of Translator::Stream.
  struct Stream {
    std::function<bool(std::vector<std::string>& sentences)> next;
    std::function<void(std::size_t line, const std::vector<Parse>& parses)> emit;
    std::function<void(std::size_t line, const std::string& note)> note;
  };
  void parse(const Stream& stream, const ParseOptions& options) const;

 private:
  class Implementation;
  // Throws Error if moved from.
  Implementation& implementation() const;

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heed
