// A parallel corpus pair by pair: two files of aligned lines, or one file with a tab between source and target.
#pragma once

#include <optional>

#include "data/lines.h"

namespace heed {

struct CorpusFiles {
  std::filesystem::path source;
  std::filesystem::path target;  // empty: `source` is a TSV

  bool tsv() const { return target.empty(); }
  std::string name() const;  // 'train.en' and 'train.ko', for messages
};

struct Pair {
  std::string source;
  std::string target;
  bool complete = true;  // false: a line of a TSV without a tab
};

class PairReader {
 public:
  // Throws Error when a file cannot be read.
  explicit PairReader(const CorpusFiles& files);

  // False when either file ends. Columns of a TSV behind the second are left aside.
  bool next(Pair& pair);
  // How many lines are left of the longer file, read to its end.
  struct Rest {
    Index source = 0;
    Index target = 0;
  };
  Rest count_rest();
  double share_read() const { return source_.share_read(); }

 private:
  LineReader source_;
  std::optional<LineReader> target_;
  Index source_ahead_ = 0;  // a source line that found no target
  std::string line_;
};

}  // namespace heed
