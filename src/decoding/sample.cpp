#include "decoding/sample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace heed {

using kernels::Candidate;

namespace {

bool more_probable(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

// Every token that may be drawn; none if a logit is NaN.
std::span<Candidate> candidates(std::span<const float> logits, std::span<Candidate> room) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) return {};
    if (std::isfinite(logits[i])) room[count++] = {static_cast<int>(i), logits[i]};
  }
  return room.first(count);
}

}  // namespace

kernels::Candidate sample(std::span<const float> logits, const Sampling& sampling, std::uint64_t key,
                          std::span<Candidate> scratch) noexcept {
  const std::span<Candidate> all = candidates(logits, scratch);
  if (all.empty()) return kernels::no_candidate;
  const auto top_k = static_cast<std::size_t>(sampling.top_k);
  const std::span<Candidate> kept = all.first(top_k > 0 ? std::min(top_k, all.size()) : all.size());
  // Their order matters only if some are cut off.
  const bool cut = top_k > 0 || sampling.top_p < 1.0f;
  if (cut) std::partial_sort(all.data(), kept.data() + kept.size(), all.data() + all.size(), more_probable);
  const float largest = (cut ? all.front() : *std::min_element(all.begin(), all.end(), more_probable)).logit;
  // Worker threads flush denormals to zero, and the weight of the largest logit would be exp(0 / 0).
  const float temperature = std::max(sampling.temperature, std::numeric_limits<float>::min());
  const auto weight = [&](const Candidate& c) {
    return std::exp(static_cast<double>(c.logit - largest) / static_cast<double>(temperature));
  };
  double total = 0.0;
  for (const Candidate& c : kept) total += weight(c);
  double nucleus = 0.0;
  std::size_t drawn_from = 0;
  while (drawn_from < kept.size() && (drawn_from == 0 || nucleus < static_cast<double>(sampling.top_p) * total)) {
    nucleus += weight(kept[drawn_from++]);
  }
  double left = uniform(key, 0) * nucleus;
  for (const Candidate& c : kept.first(drawn_from)) {
    left -= weight(c);
    if (left < 0.0) return c;
  }
  return kept[drawn_from - 1];
}

}  // namespace heed
