// Reads compiled gettext message catalogues: .mo files in either byte order.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/index.h"
#include "gettext/plural_forms.h"

namespace heed::gettext {

struct Message {
  std::string id;                  // without its context
  std::string plural_id;           // empty: the message has no plural
  std::vector<std::string> forms;  // the translation, or one per plural form
};

struct Catalogue {
  std::vector<Message> messages;  // all valid UTF-8
  Index broken = 0;               // messages skipped since they are invalid in the catalogue's charset
  std::optional<PluralForms> plural_forms;
};

// Throws Error, with `name` in its message, for bytes that are not a catalogue or a damaged one. Converts other
// charsets to UTF-8.
Catalogue read_catalogue(std::span<const std::byte> bytes, const std::string& name);

}  // namespace heed::gettext
