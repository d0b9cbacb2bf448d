// English sentences with their Korean translations, written by a small grammar of our own.
//
// Each English sentence has one translation and each Korean one, too: what a language leaves open (articles, who "you"
// is, when "read" was) the grammar decides once. Pure functions of the key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "synthetic/noun_phrase.h"

namespace heed::synthetic {

struct Sentence {
  std::string english, korean;
  std::vector<Combination> combinations;  // the pairs of words that make up its sense
};

Sentence write_sentence(std::uint64_t key);

}  // namespace heed::synthetic
