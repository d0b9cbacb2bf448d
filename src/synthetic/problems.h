// Algorithmic toy problems with one right answer each.
//
// Pure functions of the key. Symbols are separated by spaces, so that each is a token with any tokenizer.
#pragma once

#include <cstdint>
#include <string>

namespace heed::synthetic {

struct Problem {
  std::string question, answer;
  std::string identity;  // equal for questions that differ only in wording
};

Problem copy_problem(std::uint64_t key);      // "k f a" → "k f a"
Problem reverse_problem(std::uint64_t key);   // "k f a" → "a f k"
Problem sort_problem(std::uint64_t key);      // "42 7 19" → "7 19 42"
Problem addition_problem(std::uint64_t key);  // "4 7 1 + 9 6" → "5 6 7"
Problem date_problem(std::uint64_t key);      // "the third of May 2021" → "2021-05-03"

}  // namespace heed::synthetic
