// Translates text with a trained model.
//
//     heed::Translator translator("model");
//     std::cout << translator.translate("A sentence.").text << '\n';
//
// One Translator holds one model, or several that decide together, and is used by any number of threads at once: their
// sentences share the batch. A sentence's translation has the same bits in any company. Every failure throws
// heed::Error. So does every member of a Translator that was moved from, but for assignment and the destructor.
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

// A line to translate, and what its translation has to begin with.
struct Line {
  std::string text;
  std::string prefix = {};
};

class __attribute__((visibility("default"))) Translator {
 public:
  explicit Translator(const std::filesystem::path& folder, const ModelOptions& options = {});
  // Several models of the same vocabulary decide together.
  explicit Translator(std::span<const std::filesystem::path> folders, const ModelOptions& options = {});
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  const std::string& source_language() const;
  const std::string& target_language() const;
  // How the model is searched unless it is told otherwise: config.json may hold a beam, alpha and length penalty.
  SearchOptions default_options() const;
  // What could not be verified about the files, for a user who asks for it; usually nothing.
  std::vector<std::string> notes() const;

  // The best translation of one line. A blank line stays blank.
  Translation translate(std::string_view text) const { return translate(text, default_options()); }
  Translation translate(std::string_view text, const SearchOptions& options) const;
  // The translations of each line, best first; there is at least one.
  std::vector<std::vector<Translation>> translate(std::span<const Line> lines) const {
    return translate(lines, default_options());
  }
  std::vector<std::vector<Translation>> translate(std::span<const Line> lines, const SearchOptions& options) const;

  // Lines that come bit by bit: `next` fills in some that are there, waiting for one if need be, and returns false when
  // there are no more. `emit` gets each line's translations, in order, as soon as they are known; `note`, what the user
  // should know about a line. Neither is called by two threads at once, and neither may call the Translator. `next` and
  // `emit` are required: an empty one throws Error. Without `note`, notes are ignored.
  //
  // `next` is called on the caller's thread. `emit` and `note` are called on the caller's or on a thread that
  // translates, and that thread waits for them. While `emit` is slow, the other sentences of its batch stand still, and
  // threads that complete more lines of this stream wait, too: copy what is needed and do slow work elsewhere.
  struct Stream {
    std::function<bool(std::vector<Line>& lines)> next;
    std::function<void(std::size_t line, const std::vector<Translation>& translations)> emit;
    std::function<void(std::size_t line, const std::string& note)> note;
  };
  void translate(const Stream& stream) const { translate(stream, default_options()); }
  void translate(const Stream& stream, const SearchOptions& options) const;

  // log P of each target line given its source line, token by token, as translate() would score it; but lines are taken
  // whole, also those that translate() cuts, and blank ones are given to the model, too.
  std::vector<Translation> rescore(std::span<const Line> sources, std::span<const std::string> targets) const;

 private:
  class Implementation;
  // Throws Error when it was moved away.
  Implementation& implementation() const;

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace heed
