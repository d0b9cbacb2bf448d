#include "corpus_check/lenient_pairs.h"

#include <algorithm>

namespace heed::corpus_check {

LenientPairReader::LenientPairReader(const CorpusFiles& files) : source_(files.source) {
  if (!files.target.empty()) target_.emplace(files.target);
}

bool LenientPairReader::next(LenientPair& pair) { return target_ ? next_of_two(pair) : next_of_tsv(pair); }

bool LenientPairReader::next_of_two(LenientPair& pair) {
  if (!source_.next(pair.source)) return false;
  if (!target_->next(pair.target)) {
    unpaired_sources_ = 1;
    return false;
  }
  drop_carriage_return(pair.source);
  drop_carriage_return(pair.target);
  return true;
}

bool LenientPairReader::next_of_tsv(LenientPair& pair) {
  if (!source_.next(pair.source)) return false;
  drop_carriage_return(pair.source);
  pair.tabs = std::count(pair.source.begin(), pair.source.end(), '\t');
  pair.target.clear();
  if (pair.tabs != 1) return true;
  const std::size_t tab = pair.source.find('\t');
  pair.target.assign(pair.source, tab + 1);
  pair.source.resize(tab);
  return true;
}

LenientPairReader::Rest LenientPairReader::count_rest() {
  Rest rest{unpaired_sources_, 0};
  std::string line;
  while (source_.next(line)) ++rest.source;
  while (target_ && target_->next(line)) ++rest.target;
  return rest;
}

}  // namespace heed::corpus_check
