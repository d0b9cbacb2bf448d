// The largest numbers of a row, without sorting it.
#pragma once

#include <span>

namespace heed::kernels {

struct Candidate {
  int token;
  float logit;
};

// Fills `best` with the largest logits, largest first and of equal ones the lower token first; there are at least as
// many logits as places. NaN and −∞ are never chosen; a place that stays empty has token −1.
void top_k(std::span<const float> logits, std::span<Candidate> best) noexcept;

}  // namespace heed::kernels
