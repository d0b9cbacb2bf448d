// Compiled message catalogues of gettext: .mo files in either byte order.
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
  std::vector<std::string> forms;  // the translation, or one for each form of the plural
};

struct Catalogue {
  std::vector<Message> messages;  // all valid UTF-8
  Index broken = 0;               // messages left out since they are not in the charset that the catalogue names
  std::optional<PluralForms> plural_forms;
};

// `name` stands in the message of the Error for bytes that are no catalogue, or a damaged one. Other charsets than
// UTF-8 are converted.
Catalogue read_catalogue(std::span<const std::byte> bytes, const std::string& name);

}  // namespace heed::gettext
