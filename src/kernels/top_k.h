// The largest elements of a row, without sorting it.
#pragma once

#include <limits>
#include <span>

namespace heed::kernels {

struct Candidate {
  int token;
  float logit;
};

constexpr Candidate no_candidate{-1, -std::numeric_limits<float>::infinity()};

// Merges the largest logits, those of tokens first_token, first_token + 1 …, into the `best` of the earlier tokens:
// largest first, and the lower token first in a tie. NaN, −∞ and, up to rounding, logits below `least` are never
// chosen; an empty place is no_candidate.
void top_k(std::span<const float> logits, int first_token, float least, std::span<Candidate> best) noexcept;

}  // namespace heed::kernels
