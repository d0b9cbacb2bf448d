#include "parsing/tree_grammar.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/special_tokens.h"
#include "heed/error.h"

namespace heed {
namespace {

constexpr Index most_opened_in_a_row = 12;
constexpr std::size_t most_ends = std::size_t{1} << 20;

}  // namespace

TreeSymbols::TreeSymbols(const Tokenizer& target, treebank::Form form) : form_(form) {
  const bool in_words = ends_in_words();
  std::map<std::string, int> labels;
  std::set<std::string> ends;
  for (int token = 0; token < target.size(); ++token) {
    const std::string piece = target.piece(token);
    if (piece.starts_with(')')) ends.insert(piece.substr(1));
  }
  for (int token = 0; token < target.size(); ++token) {
    Symbol& symbol = symbols_.emplace_back();
    const std::string piece = target.piece(token);
    if (token <= end_token || piece.empty()) continue;
    if (piece[0] == '(' || piece[0] == ')') {
      const std::string label = piece.substr(1);
      // A bracket that could not be closed is never opened.
      if (label.empty() || (!in_words && !ends.contains(label))) continue;
      symbol.kind = piece[0] == '(' ? Kind::open : Kind::close;
      symbol.label = labels.try_emplace(label, static_cast<int>(labels.size())).first->second;
    } else {
      symbol.kind = Kind::word;
      if (in_words) symbol.ends = static_cast<Index>(std::min(treebank::ends_of(piece), most_ends));
      ends_.insert(symbol.ends);
    }
  }
  const bool has_bracket =
      std::any_of(symbols_.begin(), symbols_.end(), [](const Symbol& s) { return s.kind == Kind::open; });
  if (has_bracket && !ends_.empty()) return;
  throw Error(
      "the target vocabulary has no brackets or no tags to write a tree with; use a model of 'heed train --task "
      "parse'");
}

TreeGrammar::TreeGrammar(std::shared_ptr<const TreeSymbols> symbols, Index words)
    : symbols_(std::move(symbols)), words_(words) {}

Index TreeGrammar::room_for(Index words) { return 3 * words; }

Index TreeGrammar::least_room() const { return room_for(words_); }

TreeGrammar::State TreeGrammar::state_of(std::span<const int> pieces) const noexcept {
  State state;
  state.written = static_cast<Index>(pieces.size());
  for (const int token : pieces) {
    const TreeSymbols::Symbol& symbol = (*symbols_)[token];
    const bool opens = symbol.kind == TreeSymbols::Kind::open;
    const bool is_word = symbol.kind == TreeSymbols::Kind::word;
    state.opened_in_a_row = opens ? state.opened_in_a_row + 1 : 0;
    state.words += is_word ? 1 : 0;
    const Index ended = is_word ? symbol.ends : opens ? -1 : 1;
    const Index left_open = is_word && state.words < words_ ? 1 : 0;
    state.depth = std::max(state.depth - ended, std::min(state.depth, left_open));
  }
  Index closed = 0;
  for (std::size_t i = pieces.size(); i-- > 0 && state.innermost < 0;) {
    const TreeSymbols::Symbol& symbol = (*symbols_)[pieces[i]];
    if (symbol.kind == TreeSymbols::Kind::close) ++closed;
    if (symbol.kind == TreeSymbols::Kind::open && closed-- == 0) state.innermost = symbol.label;
  }
  return state;
}

bool TreeGrammar::allows_word(const State& state, const TreeSymbols::Symbol& symbol) const noexcept {
  if (state.depth == 0 || state.words == words_) return false;
  if (!symbols_->ends_in_words() || !symbols_->has_plain_word()) return true;
  if (state.words + 1 == words_) return symbol.ends == symbols_->ends_up_to(state.depth);
  return symbol.ends < state.depth;
}

bool TreeGrammar::allows_end(const State& state) const noexcept {
  return state.words == words_ && (state.depth == 0 || symbols_->ends_in_words());
}

bool TreeGrammar::allows(const State& state, int token, Index most) const noexcept {
  const TreeSymbols::Symbol& symbol = (*symbols_)[token];
  switch (symbol.kind) {
    case TreeSymbols::Kind::word: return allows_word(state, symbol);
    case TreeSymbols::Kind::open: {
      if (state.depth == 0) return state.written == 0;
      const Index ends = symbols_->ends_in_words() ? 0 : state.depth + 1;
      return state.words < words_ && state.opened_in_a_row < most_opened_in_a_row &&
             state.written + 1 + (words_ - state.words) + ends <= most;
    }
    case TreeSymbols::Kind::close:
      return symbol.label == state.innermost && state.opened_in_a_row == 0 &&
             (state.depth > 1 || state.words == words_) && state.depth > 0;
    case TreeSymbols::Kind::none: return token == end_token && allows_end(state);
  }
  return false;
}

std::size_t TreeGrammar::ban(std::span<const int> pieces, Index most, std::span<int> banned) const noexcept {
  const State state = state_of(pieces);
  std::size_t count = 0;
  for (int token = 0; token < static_cast<int>(symbols_->size()); ++token) {
    if (!allows(state, token, most)) banned[count++] = token;
  }
  return count;
}

}  // namespace heed
