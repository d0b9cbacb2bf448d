// The tokenizations for BLEU.
//
// Pure functions; any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace heed::metrics {

enum class Tokenizer {
  v13a,       // mteval-v13a's: separates ASCII punctuation, except inside numbers
  intl,       // mteval-v14's: the same with Unicode punctuation, symbols and numbers
  character,  // every character is a word
  none,       // already separated by spaces
};

// The line with spaces between words; trailing space must have been removed.
std::u32string tokenize(std::u32string_view line, Tokenizer tokenizer);

}  // namespace heed::metrics

namespace heed {

// The names in signatures and on the command line.
template <>
struct EnumNames<metrics::Tokenizer> {
  static constexpr std::array names{"13a", "intl", "char", "none"};
};

}  // namespace heed
