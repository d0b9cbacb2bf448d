// Lines of text in, their translations out: one for each line, in order, whatever the bytes.
//
// A blank line stays blank and is never decoded; invalid UTF-8 counts as U+FFFD; a line that is too long is cut at the
// ends of sentences or at spaces, translated in parts and put together with spaces. A translation never holds a line
// break. One Translator is used by one thread at a time; many may share the model.
#pragma once

#include <string>

#include "decoding/search.h"
#include "text/tokenizer_files.h"

namespace heed {

struct TranslatorOptions {
  SearchOptions search;
  Index longest_part = 512;  // pieces; with learned positions at most as many as those allow
  bool pieces = false;       // translations as pieces with spaces between them, not as text
};

struct Translation {
  std::string text;
  double log_probability = 0.0;  // parts are added up
  double score = 0.0;            // log P / lp, of all parts together
};

class Translator {
 public:
  // What is referred to must outlive the translator. Throws Error when the options do not fit.
  Translator(const Transformer& model, const TokenizerPair& tokenizers, const TranslatorOptions& options,
             const Workspace& workspace);

  // Called for each line in order, as soon as it and all before it are known. The best translation comes first; a blank
  // line has one, which is empty.
  using Emit = std::function<void(Index line, const std::vector<Translation>& translations)>;
  // Something that the user should know about a line.
  using Note = std::function<void(Index line, const std::string& note)>;

  void translate(std::span<const std::string> lines, const Emit& emit, const Note& note) const;

 private:
  using Parts = std::vector<std::vector<int>>;

  Parts parts_of(const std::string& line) const;
  void append_parts(std::string_view text, Parts& parts) const;
  std::string text_of(const Hypothesis& hypothesis) const;
  std::vector<Translation> join(std::span<const std::vector<Hypothesis>> parts) const;

  const Transformer& model_;
  const TokenizerPair& tokenizers_;
  TranslatorOptions options_;
  const Workspace& workspace_;
};

}  // namespace heed
