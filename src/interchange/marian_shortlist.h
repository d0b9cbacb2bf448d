// Lexical shortlists of Marian: Bergamot's binary form (lex.….s2t.bin) and Marian's text form, "target source
// probability" in each line. Neither is trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interchange/marian_model.h"
#include "interchange/package.h"
#include "interchange/yaml_settings.h"
#include "model/shortlist.h"

namespace heed::interchange {

// Whether the bytes begin as the binary form does.
bool is_binary_shortlist(std::string_view bytes);

// Throws Error, with `name` in its message, for sizes, offsets, ids or a checksum that are wrong.
Shortlist read_binary_shortlist(std::string_view bytes, const VocabularyOrders& orders, const std::string& name);

// What Marian's option `shortlist` says of the text form.
struct TextShortlistOptions {
  Index first = 100;            // target tokens of the lowest ids are in every list
  Index best = 100;             // target tokens of each source token
  float least_probability = 0;  // of these
};
Shortlist read_text_shortlist(std::string_view text, const TextShortlistOptions& options,
                              const VocabularyOrders& orders, const std::string& name);

// The shortlist that the decoder's settings name, or the only one of a package. Throws Error if they name one that is
// not there.
std::optional<Shortlist> import_shortlist(Package& package, const YamlSettings& decoder,
                                          const VocabularyOrders& orders);

}  // namespace heed::interchange
