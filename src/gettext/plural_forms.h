// The plural rule in the header of a message catalogue, which selects a plural form for each number:
//   Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heed::gettext {

struct PluralForms {
  std::size_t one = 0;   // the form for a single thing
  std::size_t many = 0;  // the form for a round large number of them
};

// nullopt if the header has no such line or its expression is invalid.
std::optional<PluralForms> read_plural_forms(std::string_view header);

}  // namespace heed::gettext
