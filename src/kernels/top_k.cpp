#include "kernels/top_k.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/top_k.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Puts the candidate in its place and drops the last one; an equal one that came before stays before it.
HWY_INLINE void Insert(Candidate candidate, std::span<Candidate> best) {
  size_t place = best.size() - 1;
  for (; place > 0 && (best[place - 1].token < 0 || best[place - 1].logit < candidate.logit); --place) {
    best[place] = best[place - 1];
  }
  best[place] = candidate;
}

// Whole vectors are compared with the smallest of the best so far; after the first few, hardly any gets past it.
void TopK(std::span<const float> logits, int first_token, float least, std::span<Candidate> best) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  // A little below `least`, so that a logit equal to it passes the strict comparison.
  const float below = least - std::max(std::abs(least) * 1e-6f, 1e-30f);
  const F32 d;
  const Candidate& last = best.back();
  ForEachVector(static_cast<Index>(logits.size()), [&](Index i, auto n) HWY_ATTR {
    const VF v = Fill(Load(logits.data() + i, n), lowest, n);
    if (hn::AllFalse(d, hn::Gt(v, hn::Set(d, std::max(below, last.logit))))) return;
    const Index end = std::min(i + static_cast<Index>(hn::Lanes(d)), static_cast<Index>(logits.size()));
    for (Index j = i; j < end; ++j) {
      const float logit = logits[static_cast<size_t>(j)];
      if (logit > std::max(below, last.logit)) Insert({first_token + static_cast<int>(j), logit}, best);
    }
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(TopK);

void top_k(std::span<const float> logits, int first_token, float least, std::span<Candidate> best) noexcept {
  HWY_DYNAMIC_DISPATCH(TopK)(logits, first_token, least, best);
}

}  // namespace heed::kernels
#endif
