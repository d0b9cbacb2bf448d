// Corpora that heed writes itself: English and Korean sentences, and problems with one right answer.
//
// A corpus is a pure function of its kind, its sizes and its seed. Its test part is no random share of the lines: for
// sentences it holds combinations of words (this verb with that object) that neither training nor the dev part ever
// show together, while each word alone occurs in training; for problems it holds ones that training has in no wording.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "base/index.h"

namespace heed {

namespace synthetic {
enum class Kind { en_ko, ko_en, copy, reverse, sort, addition, dates };
}

template <>
struct EnumNames<synthetic::Kind> {
  static constexpr std::array names{"en-ko", "ko-en", "copy", "reverse", "sort", "addition", "dates"};
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
  std::vector<LinePair> train, dev, test;  // no line twice
};

// What the files of the two sides end in: "en" and "ko", or "source" and "target".
struct SideNames {
  std::string source, target;
};
SideNames side_names(Kind kind);

// Throws Error when there are not so many different lines.
Corpus make_corpus(Kind kind, const Options& options);

enum class Part { train, dev, test, none };

// Where a line belongs by what is in it: with anything that the seed holds out for a part it goes there, with things
// held out for both parts nowhere.
Part part_of(const std::vector<std::string>& contents, std::uint64_t seed);

}  // namespace heed::synthetic
