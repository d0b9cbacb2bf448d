// Parallel text with all its faults, pair by pair, for those who want to know them. Training reads with PairReader,
// which stops at the first one.
#pragma once

#include "data/corpus.h"

namespace heed::corpus_check {

struct LenientPair {
  std::string source;
  std::string target;
  Index tabs = 1;  // of a TSV's line; without exactly one the line cannot be split, and all of it is in `source`
};

class LenientPairReader {
 public:
  // Throws Error when a file cannot be read.
  explicit LenientPairReader(const CorpusFiles& files);

  // False when either file ends. A CR at the end of a line is no part of it, as in training.
  bool next(LenientPair& pair);
  // Reads the longer file to its end; how many lines it has more.
  struct Rest {
    Index source = 0;
    Index target = 0;
  };
  Rest count_rest();
  double share_read() const { return source_.share_read(); }

 private:
  bool next_of_two(LenientPair& pair);
  bool next_of_tsv(LenientPair& pair);

  LineReader source_;
  std::optional<LineReader> target_;
  Index unpaired_sources_ = 0;
};

}  // namespace heed::corpus_check
