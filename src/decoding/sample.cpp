#include "decoding/sample.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace heed {

using kernels::Candidate;

kernels::Candidate sample(std::span<const float> logits, const Sampling& sampling, std::uint64_t key,
                          std::span<Candidate> scratch) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) return kernels::no_candidate;
    if (std::isfinite(logits[i])) scratch[count++] = {static_cast<int>(i), logits[i]};
  }
  if (count == 0) return kernels::no_candidate;
  const auto more_probable = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  };
  const bool cut = sampling.top_k > 0 || sampling.top_p < 1.0f;
  const std::size_t kept = sampling.top_k > 0 ? std::min(count, static_cast<std::size_t>(sampling.top_k)) : count;
  const auto begin = scratch.begin();
  if (cut)
    std::partial_sort(begin, begin + static_cast<std::ptrdiff_t>(kept), begin + static_cast<std::ptrdiff_t>(count),
                      more_probable);

  const auto weight =
      [&,
       largest =
           cut ? scratch[0].logit
               : std::max_element(begin, begin + static_cast<std::ptrdiff_t>(count), [](const auto& a, const auto& b) {
                   return a.logit < b.logit;
                 })->logit](const Candidate& c) {
        return std::exp(static_cast<double>(c.logit - largest) / static_cast<double>(sampling.temperature));
      };
  double total = 0.0;
  for (std::size_t i = 0; i < kept; ++i) total += weight(scratch[i]);
  double nucleus = 0.0;
  std::size_t drawn_from = 0;
  while (drawn_from < kept && (drawn_from == 0 || nucleus < static_cast<double>(sampling.top_p) * total)) {
    nucleus += weight(scratch[drawn_from++]);
  }
  double left = uniform(key, 0) * nucleus;
  for (std::size_t i = 0; i < drawn_from; ++i) {
    left -= weight(scratch[i]);
    if (left < 0.0) return scratch[i];
  }
  return scratch[drawn_from - 1];
}

}  // namespace heed
