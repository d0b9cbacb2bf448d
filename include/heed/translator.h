// Translates text with a trained model.
//
//     heed::Translator translator("model");
//     std::cout << translator.translate("A sentence.").text << '\n';
//
// One Translator holds one model or an ensemble, and may be used by any number of threads at once: their sentences
// share the batch. A sentence's translation has the same bits in any batch. Every failure throws heed::Error. So does
// every member of a moved-from Translator, except assignment and the destructor.
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
#include "heed/translation.h"

namespace heed {

// A line to translate, and the forced prefix of its translation.
struct Line {
  std::string text;
  std::string prefix = {};
};

class __attribute__((visibility("default"))) Translator {
 public:
  explicit Translator(const std::filesystem::path& folder, const ModelOptions& options = {});
  // An ensemble of models that share a vocabulary.
  explicit Translator(std::span<const std::filesystem::path> folders, const ModelOptions& options = {});
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  const std::string& source_language() const;
  const std::string& target_language() const;
  // The model's own search options: config.json may set beam, alpha and length penalty. Start from these, as
  // SearchOptions{} ignores what the model records.
  SearchOptions default_options() const;
  // What could not be verified about the files; usually nothing.
  std::vector<std::string> notes() const;

  // The best translation of one line. A blank line stays blank.
  Translation translate(std::string_view text) const { return translate(text, default_options()); }
  Translation translate(std::string_view text, const SearchOptions& options) const;
  // The translations of each line, best first: at least one, and at most n_best.
  std::vector<std::vector<Translation>> translate(std::span<const Line> lines) const {
    return translate(lines, default_options());
  }
  std::vector<std::vector<Translation>> translate(std::span<const Line> lines, const SearchOptions& options) const;

  // Lines that arrive over time. `next` is called with an empty `lines`; it appends those that are available, waiting
  // for at least one, and returns true, or returns false at the end. Lines added by a call that returns false are
  // ignored. Returning true without a line is allowed. `emit` gets each line's translations, in order, as soon as they
  // are known; `note` gets warnings about a line, worded to follow "line 7". `line` counts from 0 over the whole
  // stream.
  //
  // None of the three is called by two threads at once, and none may call the Translator. `next` and `emit` are
  // required: an empty one throws Error. Without `note`, notes are dropped.
  //
  // `next` is called on the caller's thread. `emit` and `note` are called on the caller's or on a thread that
  // translates, and that thread waits for them. While `emit` is slow, the other sentences of its batch wait, and
  // threads that complete more lines of this stream wait, too: copy what is needed and do slow work elsewhere.
  struct Stream {
    std::function<bool(std::vector<Line>& lines)> next;
    std::function<void(std::size_t line, const std::vector<Translation>& translations)> emit;
    std::function<void(std::size_t line, const std::string& note)> note;
  };
  void translate(const Stream& stream) const { translate(stream, default_options()); }
  void translate(const Stream& stream, const SearchOptions& options) const;

  // log P of each target line given its source line, token by token (teacher forcing), as translate() would score it.
  // But no line is split, however long, and blank lines are scored, too. Prefixes are ignored, and the score uses the
  // model's own alpha and length penalty.
  std::vector<Translation> rescore(std::span<const Line> sources, std::span<const std::string> targets) const;

 private:
  class Implementation;
  // Throws Error if moved from.
  Implementation& implementation() const;

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heed
