// A check report as text.
#pragma once

#include "corpus_check/check.h"

namespace heed::corpus_check {

// Every finding with its count, share, cost and examples, the most severe first.
std::string findings_table(const CheckReport& report);
// Lines, words, characters and tokens; `estimated`: token counts are estimated from characters.
std::string sizes_table(const CheckReport& report, bool estimated);
// One sentence: whether the corpus is fit to train on, and what to do.
std::string verdict(const CheckReport& report, const CorpusFiles& files);

}  // namespace heed::corpus_check
