// The largest numbers of a row, without sorting it.
#pragma once

#include <limits>
#include <span>

namespace heed::kernels {

struct Candidate {
  int token;
  float logit;
};

constexpr Candidate no_candidate{-1, -std::numeric_limits<float>::infinity()};

// Puts the largest logits, which are those of tokens first_token, first_token + 1 …, among the `best` of the tokens
// before: largest first and of equal ones the lower token first. NaN, −∞ and, but for rounding, what is below `least`
// are never chosen; an empty place is no_candidate.
void top_k(std::span<const float> logits, int first_token, float least, std::span<Candidate> best) noexcept;

}  // namespace heed::kernels
