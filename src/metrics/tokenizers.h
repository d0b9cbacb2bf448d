// The ways of cutting a line into words that BLEU is reported with.
//
// Pure functions; any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace heed::metrics {

enum class Tokenizer {
  v13a,       // mteval-v13a's: ASCII punctuation stands alone, except marks inside numbers
  intl,       // mteval-v14's: the same with Unicode's classes of punctuation, symbols and numbers
  character,  // every character is a word
  none,       // words stand between spaces already
};

// The line with spaces where words part; trailing space must have been taken off.
std::u32string tokenize(std::u32string_view line, Tokenizer tokenizer);

}  // namespace heed::metrics

namespace heed {

// As signatures and the command line spell them.
template <>
struct EnumNames<metrics::Tokenizer> {
  static constexpr std::array names{"13a", "intl", "char", "none"};
};

}  // namespace heed
