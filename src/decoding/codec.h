// Converts between lines of text and the sentences that are searched. Immutable; any number of threads may use it.
#pragma once

#include "decoding/grammar.h"
#include "decoding/request.h"
#include "heed/translation.h"

namespace heed {

using Tokens = std::vector<int>;

struct EncodedLine {
  std::vector<Tokens> parts;  // each with </s>; none for a blank line
  Index cut_pieces = 0;       // pieces of the longest sentence that was itself split; 0: none was
  std::vector<std::shared_ptr<const Grammar>> grammars = {};  // of each part; none: the search is free
  // If the words must be known again when the results are decoded: all of them, and where each part ends.
  std::vector<std::string> words = {};
  std::vector<std::size_t> word_ends = {};
};

class Codec {
 public:
  virtual ~Codec() = default;

  virtual EncodedLine encode(const std::string& line) const = 0;
  // Tokens with which the output of a line must begin. Throws Error if a piece is unknown.
  virtual Tokens encode_prefix(const std::string& prefix) const = 0;
  // Result i joins hypothesis i of every part; a line without parts has one empty result.
  virtual std::vector<Translation> decode(const EncodedLine& line, std::span<const std::vector<Hypothesis>> found,
                                          const SearchOptions& options) const = 0;
  // Notes, worded to follow "line 7": about a line of several parts, and about a result that is not finished. Empty:
  // none.
  virtual std::string about_parts(const EncodedLine& line) const = 0;
  virtual std::string about_unfinished() const = 0;
};

}  // namespace heed
