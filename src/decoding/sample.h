// Draws a token from the model's distribution.
#pragma once

#include <span>

#include "heed/options.h"
#include "kernels/top_k.h"

namespace heed {

// Draws from softmax(logits / temperature), truncated to the top_k most probable tokens and of those to the fewest that
// reach top_p; `key` determines the draw. A temperature near 0 gives the most probable token. `scratch` has room for
// every token. Tokens at −∞ are never drawn; returns no_candidate if a logit is NaN or no token is left.
kernels::Candidate sample(std::span<const float> logits, const Sampling& sampling, std::uint64_t key,
                          std::span<kernels::Candidate> scratch) noexcept;

}  // namespace heed
