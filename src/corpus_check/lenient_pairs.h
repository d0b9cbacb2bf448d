// Reads parallel text pair by pair without failing on bad lines, unlike PairReader, which training uses and which
// throws at the first one.
#pragma once

#include "data/corpus.h"

namespace heed::corpus_check {

struct LenientPair {
  std::string source;
  std::string target;
  Index tabs = 1;  // of a TSV line; unless there is exactly one, the whole line is in `source`
};

class LenientPairReader {
 public:
  // Throws Error if a file cannot be read.
  explicit LenientPairReader(const CorpusFiles& files);

  // False when either file ends. A CR at the end of a line is dropped, as in training.
  bool next(LenientPair& pair);
  // Reads the longer file to its end and counts its extra lines.
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
