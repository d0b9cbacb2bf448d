// A check's report as people read it.
#pragma once

#include "corpus_check/check.h"

namespace heed::corpus_check {

// Every finding with its count, share, cost and examples, the worst first.
std::string findings_table(const CheckReport& report);
// Lines, words, characters and tokens; `estimated` says that the tokens are a guess from the characters.
std::string sizes_table(const CheckReport& report, bool estimated);
// One sentence: whether training would take the corpus, and what is to be done.
std::string verdict(const CheckReport& report, const CorpusFiles& files);

}  // namespace heed::corpus_check
