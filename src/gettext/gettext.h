// A parallel corpus, English to another language, from the message catalogues of installed programs.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/first_seen.h"
#include "gettext/catalogue.h"

namespace heed::gettext {

// Why a text of a catalogue was discarded.
enum class Discard { untranslated, identical, duplicate, placeholders, lines, plurals, credits, broken };
constexpr std::size_t discard_count = 8;
const char* title_of(Discard discard);

// The catalogues of a language (ko: …/ko/LC_MESSAGES/x.mo, also ko_KR; sr is not sr@latin) in a folder and its
// subfolders, sorted by path. If the path is a file, returns just that. Throws Error if the path does not exist.
std::vector<std::filesystem::path> find_catalogues(const std::filesystem::path& path, const std::string& language);

// Collects pairs of single lines that are worth training on: accelerator marks and control characters are removed,
// white space is collapsed, and placeholders match on both sides.
class MessageCorpus {
 public:
  void add(const Catalogue& catalogue);

  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }
  Index messages() const { return messages_; }
  Index discarded(Discard why) const { return discarded_[static_cast<std::size_t>(why)]; }

 private:
  void add_message(const Message& message, const std::optional<PluralForms>& plural_forms);
  void add_text(std::string source, std::string target);
  void add_line(std::string source, std::string target);
  void discard(Discard why) { ++discarded_[static_cast<std::size_t>(why)]; }

  std::vector<std::pair<std::string, std::string>> pairs_;
  FirstSeen seen_;
  Index messages_ = 0;
  std::array<Index, discard_count> discarded_{};
};

}  // namespace heed::gettext
