// Checks a parallel corpus in one pass.
//
// Pairs are examined on all threads and counted in file order, so the report does not depend on the number of threads.
// Memory: about 35 bytes per pair to detect duplicates, regardless of line length.
#pragma once

#include <functional>
#include <span>

#include "corpus_check/examine.h"

namespace heed::corpus_check {

struct CheckOptions : ExamineOptions {
  int examples = 3;  // per finding
  int threads = 1;
};

struct Example {
  Index line = 0;
  std::string detail;
  std::string source;  // shortened, printable and valid UTF-8
  std::string target;
};

struct FindingCount {
  Index count = 0;
  std::vector<Example> examples;
};

struct SideReport {
  Index lines = 0;
  TextSize size;  // of the lines that have a counterpart and are UTF-8
};

struct CheckReport {
  SideReport source;
  SideReport target;
  Index pairs = 0;          // lines that both sides have
  Index usable = 0;         // pairs that training would use unchanged
  Index usable_tokens = 0;  // their target tokens, including </s>
  std::array<FindingCount, finding_count> findings;
  std::vector<std::pair<Index, Index>> lengths;  // a sample of the usable pairs, source and target with </s>

  const FindingCount& operator[](Finding finding) const { return findings[static_cast<std::size_t>(finding)]; }
  // Whether training would reject the corpus.
  bool refused() const { return usable == 0 || found(Severity::error) > 0; }
  // The fraction of the corpus that a finding affects, between 0 and 1.
  double share(Finding finding) const;
  // The number of kinds of findings with this severity.
  Index found(Severity severity) const;
};

// An examined pair, with control characters removed.
struct CheckedPair {
  Index line;
  const LenientPair& pair;
  FindingSet findings;
};

// Whether training would use a pair unchanged.
bool is_usable(FindingSet findings);

struct CheckCallbacks {
  std::function<void(const CheckedPair&)> pair = [](const CheckedPair&) {};  // in file order
  std::function<void(double share)> progress = [](double) {};                // fraction of bytes read
};

// Throws Error when a file cannot be read.
CheckReport check_corpus(const CorpusFiles& files, const CheckOptions& options, const CheckCallbacks& callbacks = {});

// The first `most` characters of a text, printable on one line: other characters become a space or U+FFFD.
std::string shortened(std::string_view text, std::size_t most);

// The language code in a file name, if the detector knows it: "ko" for train.ko.gz; else empty.
std::string language_of_name(const std::filesystem::path& path);

}  // namespace heed::corpus_check
