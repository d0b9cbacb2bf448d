// Lines of text to translate.
//
// A blank line has no sentence; invalid UTF-8 is read as U+FFFD. A line that is too long is split into sentences, one
// part each; a single sentence that is too long is split at white space or, failing that, between any two characters.
// The translations of the parts are joined with spaces. A translation never contains a line break.
#pragma once

#include "decoding/codec.h"
#include "decoding/step_model.h"
#include "text/tokenizer_files.h"

namespace heed {

// The largest max_source_length that a user may set.
constexpr int most_source_length = 65536;

class LineCodec : public Codec {
 public:
  // A part has at most max_source_length pieces, and fewer where learned positions end sooner. 0: the models record no
  // length; parts then have up to 512 pieces, and lines are split near their middle until they fit. Throws Error if the
  // models have no room for a sentence.
  // source_end: whether </s> ends a source sentence.
  LineCodec(TokenizerPair tokenizers, StepModels models, Index max_source_length = 0, bool source_end = true);

  EncodedLine encode(const std::string& line) const override;
  // The whole line as one part, with </s> if that ends sentences; never empty.
  Tokens encode_whole(const std::string& line) const;
  // A target line, without </s>.
  Tokens encode_target(const std::string& line) const;
  Tokens encode_prefix(const std::string& prefix) const override;

  std::vector<Translation> decode(const EncodedLine& line, std::span<const std::vector<Hypothesis>> found,
                                  const SearchOptions& options) const override;

  // The text of a translation, on one line.
  std::string decode_text(std::span<const int> tokens) const;

  std::string about_parts(const EncodedLine& line) const override;
  std::string about_unfinished() const override;

 private:
  // Where in a line a part begins.
  struct Offset {
    int source_pieces = 0;
    int source_words = 0;
    int target_words = 0;
  };

  // Without the </s> that ends it.
  std::span<const int> pieces_of(const Tokens& source) const;
  void append_sentences(std::string_view text, EncodedLine& line) const;
  void append_halves(std::string_view text, std::vector<Tokens>& parts) const;
  void append(const Tokens& source, const Hypothesis& hypothesis, Offset& offset, Translation& translation) const;
  static void append_soft_alignment(const Tokens& source, const Hypothesis& hypothesis, Translation& translation);
  void append_alignment(const Tokens& source, const Hypothesis& hypothesis, Offset& offset,
                        Translation& translation) const;

  TokenizerPair tokenizers_;
  bool by_sentences_;
  Index most_pieces_ = most_source_length;  // the most that a larger max_source_length can make of longest_part_
  Index longest_part_;                      // pieces
  bool source_end_;
};

}  // namespace heed
