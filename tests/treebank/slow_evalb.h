// EVALB's rules once more, as plainly as possible: every step goes over all words and all brackets.
#pragma once

#include "metrics/brackets.h"

namespace heed::metrics {

BracketCounts slow_compare_brackets(const std::string& gold, const std::string& test, const EvalbRules& rules);

}  // namespace heed::metrics
