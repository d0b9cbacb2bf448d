// What may follow in a hypothesis whose output must have a form, such as a tree: constrained search.
//
// A grammar is immutable; any number of threads may use it. It has no state for each hypothesis: what may follow is
// computed from the pieces so far, which costs little beside a step of the model and leaves nothing to copy or to fork.
#pragma once

#include <span>

#include "base/index.h"

namespace heed {

class Grammar {
 public:
  virtual ~Grammar() = default;

  virtual Index vocabulary() const = 0;
  // A hypothesis must be allowed to have at least this many pieces.
  virtual Index least_room() const = 0;
  // Writes the tokens that may not follow these pieces to `banned`, which has room for the vocabulary, and returns
  // their number: at least one token is left. </s> must come before there are more than `most` pieces.
  virtual std::size_t ban(std::span<const int> pieces, Index most, std::span<int> banned) const noexcept = 0;
};

}  // namespace heed
