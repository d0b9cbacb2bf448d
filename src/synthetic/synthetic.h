// Synthetic corpora: English and Korean sentences, parse trees, and toy problems with one right answer.
//
// A corpus is a pure function of its kind, its sizes and its seed. The test part is not a random share of the lines.
// For sentences, it contains word combinations (a verb with an object) that occur in neither the training nor the dev
// part, while each word by itself occurs in training; for problems, it contains ones that training lacks in any
// wording.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/index.h"

namespace heed {

namespace synthetic {
enum class Kind { en_ko, ko_en, copy, reverse, sort, addition, dates, trees };
}

template <>
struct EnumNames<synthetic::Kind> {
  static constexpr std::array names{"en-ko", "ko-en", "copy", "reverse", "sort", "addition", "dates", "trees"};
};

}  // namespace heed

namespace heed::synthetic {

struct Options {
  Index train = 20000;
  Index dev = 500;
  Index test = 500;
  std::uint64_t seed = 1;
};

struct LinePair {
  std::string source, target;
};

struct Corpus {
  std::vector<LinePair> train, dev, test;  // without duplicates
};

// The file extensions of the two sides: "en" and "ko", "words" and "mrg", or "source" and "target".
struct SideNames {
  std::string source, target;
};
SideNames side_names(Kind kind);

// Throws Error if there are too few distinct lines.
Corpus make_corpus(Kind kind, const Options& options);

enum class Part { train, dev, test, none };

// The part of a line according to its contents: a line with contents that the seed holds out for a part goes to that
// part, one with contents held out for both parts to none.
Part part_of(const std::vector<std::string>& contents, std::uint64_t seed);

}  // namespace heed::synthetic
