// Which form of a plural a language uses for which number, as the header of a message catalogue says it:
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

// Nothing when the header has no such line, or one that is no expression in n.
std::optional<PluralForms> read_plural_forms(std::string_view header);

}  // namespace heed::gettext
