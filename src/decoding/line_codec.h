// Between lines of text and the sentences that are searched for.
//
// A blank line has no sentence; invalid UTF-8 counts as U+FFFD; a line that is too long is cut at the ends of sentences
// or at spaces, translated in parts and put together with spaces. A translation never holds a line break.
#pragma once

#include "decoding/search.h"
#include "heed/translator.h"
#include "text/tokenizer_files.h"

namespace heed {

using Tokens = std::vector<int>;

class LineCodec {
 public:
  // Throws Error when the models have no room for a sentence.
  LineCodec(TokenizerPair tokenizers, Models models);

  // The tokens of each part, with </s>; none for a blank line.
  std::vector<Tokens> encode(const std::string& line) const;
  // The whole line in one, with </s>.
  Tokens encode_whole(const std::string& line) const;
  // A target line, without </s>.
  Tokens encode_target(const std::string& line) const;
  // Likewise, for a translation to begin with. Throws Error for one with unknown pieces.
  Tokens encode_prefix(const std::string& prefix) const;

  // Translation i is made of hypothesis i of every part; a line without parts has one that is empty.
  std::vector<Translation> decode(std::span<const Tokens> parts, std::span<const std::vector<Hypothesis>> found,
                                  float alpha) const;

  Index longest_part() const { return longest_part_; }

 private:
  // Where in a line a part begins.
  struct Offset {
    int source_pieces = 0;
    int source_words = 0;
    int target_words = 0;
  };

  void append_parts(std::string_view text, std::vector<Tokens>& parts) const;
  void append(const Tokens& source, const Hypothesis& hypothesis, Offset& offset, Translation& translation) const;
  void append_alignment(const Tokens& source, const Hypothesis& hypothesis, Offset& offset,
                        Translation& translation) const;

  TokenizerPair tokenizers_;
  Index longest_part_ = 512;  // pieces; with learned positions at most as many as those allow
};

}  // namespace heed
