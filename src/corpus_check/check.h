// Reads a parallel corpus once and says what is wrong with it.
//
// Pairs are examined on all threads and counted in the order of the files, so the report does not depend on the number
// of threads. Memory: some 35 bytes a pair to know duplicates again, whatever the length of the lines.
#pragma once

#include <functional>
#include <span>

#include "corpus_check/examine.h"

namespace heed::corpus_check {

struct CheckOptions : ExamineOptions {
  int examples = 3;  // of each finding
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
  TextSize size;  // of the lines that have a partner and are UTF-8
};

struct CheckReport {
  SideReport source;
  SideReport target;
  Index pairs = 0;          // that both sides have
  Index usable = 0;         // that training would take as they are
  Index usable_tokens = 0;  // target tokens of those, one </s> each
  std::array<FindingCount, finding_count> findings;
  std::vector<std::pair<Index, Index>> lengths;  // a sample of the usable pairs, source and target with </s>

  const FindingCount& operator[](Finding finding) const { return findings[static_cast<std::size_t>(finding)]; }
  // Whether training would refuse the corpus.
  bool refused() const { return usable == 0 || found(Severity::error) > 0; }
  // How much of the corpus a finding concerns, between 0 and 1.
  double share(Finding finding) const;
  // How many kinds of findings of this severity there are.
  Index found(Severity severity) const;
};

// A pair that has been examined, without its control characters.
struct CheckedPair {
  Index line;
  const LenientPair& pair;
  FindingSet findings;
};

// Whether training would take a pair as it is.
bool is_usable(FindingSet findings);

struct CheckCallbacks {
  std::function<void(const CheckedPair&)> pair = [](const CheckedPair&) {};  // in the order of the files
  std::function<void(double share)> progress = [](double) {};                // of the bytes read
};

// Throws Error when a file cannot be read.
CheckReport check_corpus(const CorpusFiles& files, const CheckOptions& options, const CheckCallbacks& callbacks = {});

// At most `most` characters of a text, fit for one line of a terminal: what cannot be shown becomes a space or U+FFFD.
std::string shortened(std::string_view text, std::size_t most);

// A language that the detector knows and that a file's name ends in: "ko" for train.ko.gz; empty if there is none.
std::string language_of_name(const std::filesystem::path& path);

}  // namespace heed::corpus_check
