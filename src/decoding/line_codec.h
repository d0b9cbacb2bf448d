// Converts between lines of text and the sentences that are searched.
//
// A blank line has no sentence; invalid UTF-8 is read as U+FFFD. A line that is too long is split into sentences, one
// part each; a single sentence that is too long is split at white space or, failing that, between any two characters.
// The translations of the parts are joined with spaces. A translation never contains a line break.
#pragma once

#include "decoding/request.h"
#include "decoding/step_model.h"
#include "heed/translation.h"
#include "text/tokenizer_files.h"

namespace heed {

using Tokens = std::vector<int>;

// The largest max_source_length that a user may set.
constexpr int most_source_length = 65536;

struct EncodedLine {
  std::vector<Tokens> parts;  // each with </s>; none for a blank line
  Index cut_pieces = 0;       // pieces of the longest sentence that was itself split; 0: none was
};

class LineCodec {
 public:
  // A part has at most max_source_length pieces, and fewer where learned positions end sooner. 0: the models record no
  // length; parts then have up to 512 pieces, and lines are split near their middle until they fit. Throws Error if the
  // models have no room for a sentence.
  LineCodec(TokenizerPair tokenizers, StepModels models, Index max_source_length = 0);

  EncodedLine encode(const std::string& line) const;
  // The whole line as one part, with </s>.
  Tokens encode_whole(const std::string& line) const;
  // A target line, without </s>.
  Tokens encode_target(const std::string& line) const;
  // Likewise, for a forced prefix. Throws Error if a piece is unknown.
  Tokens encode_prefix(const std::string& prefix) const;

  // Translation i joins hypothesis i of every part; a line without parts has one empty translation.
  std::vector<Translation> decode(std::span<const Tokens> parts, std::span<const std::vector<Hypothesis>> found,
                                  const SearchOptions& options) const;

  // The text of a translation, on one line.
  std::string decode_text(std::span<const int> tokens) const;

  Index longest_part() const { return longest_part_; }
  // The most that a larger max_source_length can make of it.
  Index most_pieces() const { return most_pieces_; }

 private:
  // Where in a line a part begins.
  struct Offset {
    int source_pieces = 0;
    int source_words = 0;
    int target_words = 0;
  };

  void append_sentences(std::string_view text, EncodedLine& line) const;
  void append_halves(std::string_view text, std::vector<Tokens>& parts) const;
  void append(const Tokens& source, const Hypothesis& hypothesis, Offset& offset, Translation& translation) const;
  static void append_soft_alignment(const Tokens& source, const Hypothesis& hypothesis, Translation& translation);
  void append_alignment(const Tokens& source, const Hypothesis& hypothesis, Offset& offset,
                        Translation& translation) const;

  TokenizerPair tokenizers_;
  bool by_sentences_;
  Index most_pieces_ = most_source_length;
  Index longest_part_;  // pieces
};

}  // namespace heed
