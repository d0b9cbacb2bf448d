// Constrained search for parse trees: every hypothesis ends as one well-formed tree that has all words.
//
// For a hypothesis with D brackets open, c of n words written and room for M tokens, </s> included, these may follow:
//
//     at the beginning            any (X
//     c < n                       any word symbol; and any (X while fewer than 12 brackets opened in a row, and while
//                                 the words left, an end for each open bracket and </s> still fit into M
//     )X                          of the innermost bracket, if it holds something and (D > 1 or c = n)
//     D = 0 after that            </s>
//
// In the short form, where a word symbol carries its ends, the ends must leave the outermost bracket open until the
// last word, which must end all; if no symbol has that many ends, it takes one of the next fewer, and </s> closes the
// rest.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "decoding/grammar.h"
#include "text/tokenizer.h"
#include "trees/linearise.h"

namespace heed {

// The target vocabulary of a parser, by what each token does.
class TreeSymbols {
 public:
  enum class Kind { none, open, close, word };
  struct Symbol {
    Kind kind = Kind::none;
    int label = -1;  // of a bracket
    Index ends = 0;  // of a word symbol in the short form
  };

  // Throws Error if no tree can be written with these tokens.
  TreeSymbols(const Tokenizer& target, treebank::Form form);

  Index size() const { return static_cast<Index>(symbols_.size()); }
  const Symbol& operator[](int token) const { return symbols_[static_cast<std::size_t>(token)]; }
  bool ends_in_words() const { return form_ == treebank::Form::short_ends; }
  // Whether some word symbol has no ends; otherwise ends cannot be constrained, and surplus ones are ignored.
  bool has_plain_word() const { return ends_.contains(0); }
  // The largest number of ends, up to `most`, that a word symbol has; some must have none.
  Index ends_up_to(Index most) const { return *std::prev(ends_.upper_bound(most)); }

 private:
  treebank::Form form_;
  std::vector<Symbol> symbols_;
  std::set<Index> ends_;  // of word symbols
};

class TreeGrammar : public Grammar {
 public:
  // For a sentence of this many words, at least one.
  TreeGrammar(std::shared_ptr<const TreeSymbols> symbols, Index words);

  Index vocabulary() const override { return symbols_->size(); }
  Index least_room() const override;
  std::size_t ban(std::span<const int> pieces, Index most, std::span<int> banned) const noexcept override;

  // Pieces that the tree of a sentence of this many words may need.
  static Index room_for(Index words);

 private:
  // What a hypothesis has so far.
  struct State {
    Index written = 0;  // pieces
    Index words = 0;
    Index depth = 0;
    Index opened_in_a_row = 0;
    int innermost = -1;  // the label of the innermost open bracket
  };
  State state_of(std::span<const int> pieces) const noexcept;
  bool allows(const State& state, int token, Index most) const noexcept;
  bool allows_word(const State& state, const TreeSymbols::Symbol& symbol) const noexcept;
  bool allows_end(const State& state) const noexcept;

  std::shared_ptr<const TreeSymbols> symbols_;
  Index words_;
};

}  // namespace heed
