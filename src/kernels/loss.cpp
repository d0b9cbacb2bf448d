#include "kernels/loss.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/loss.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

struct RowSums {
  float log_sum_exp;
  double mean;
};

LogSum LogSumExp(std::span<const float> row) {
  const F32 d;
  const float* x = row.data();
  const Index count = static_cast<Index>(row.size());
  VF maxima = hn::Set(d, x[0]);
  VF sum = hn::Zero(d);
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    const VF v = Load(x + i, n);
    maxima = hn::Max(maxima, Fill(v, x[0], n));
    sum = hn::Add(sum, v);
  });
  const float maximum = Max(maxima);
  VF exponentials = hn::Zero(d);
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    const VF e = Exp(hn::Sub(Load(x + i, n), hn::Set(d, maximum)));
    exponentials = hn::Add(exponentials, Fill(e, 0.0f, n));
  });
  return {maximum, Sum(exponentials), Sum(sum)};
}

HWY_INLINE RowSums SumsOfRow(std::span<const float> row) {
  const LogSum sums = LogSumExp(row);
  return {sums.maximum + std::log(sums.sum), static_cast<double>(sums.plain) / static_cast<double>(row.size())};
}

// (1 − ε) · −log p(label) + ε · the mean of −log p over the vocabulary
HWY_INLINE TokenLoss LossOfSums(RowSums sums, float label_logit, float smoothing) {
  const double plain = static_cast<double>(sums.log_sum_exp) - static_cast<double>(label_logit);
  const double uniform = static_cast<double>(sums.log_sum_exp) - sums.mean;
  return {(1.0 - static_cast<double>(smoothing)) * plain + static_cast<double>(smoothing) * uniform, plain};
}

TokenLoss CrossEntropy(std::span<const float> logits, int label, float smoothing) {
  return LossOfSums(SumsOfRow(logits), logits[static_cast<size_t>(label)], smoothing);
}

TokenLoss CrossEntropyBackward(std::span<float> logits, int label, float smoothing) {
  const F32 d;
  const RowSums sums = SumsOfRow(logits);
  const TokenLoss loss = LossOfSums(sums, logits[static_cast<size_t>(label)], smoothing);
  const VF log_sum_exp = hn::Set(d, sums.log_sum_exp);
  const VF share = hn::Set(d, smoothing / static_cast<float>(logits.size()));
  float* x = logits.data();
  ForEachVector(static_cast<Index>(logits.size()), [&](Index i, auto n) HWY_ATTR {
    Store(hn::Sub(Exp(hn::Sub(Load(x + i, n), log_sum_exp)), share), x + i, n);
  });
  x[label] -= 1.0f - smoothing;
  return loss;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(CrossEntropy);
HWY_EXPORT(CrossEntropyBackward);
HWY_EXPORT(LogSumExp);

TokenLoss cross_entropy(std::span<const float> logits, int label, float smoothing) noexcept {
  return HWY_DYNAMIC_DISPATCH(CrossEntropy)(logits, label, smoothing);
}

TokenLoss cross_entropy_backward(std::span<float> logits, int label, float smoothing) noexcept {
  return HWY_DYNAMIC_DISPATCH(CrossEntropyBackward)(logits, label, smoothing);
}

LogSum log_sum_exp(std::span<const float> logits) noexcept { return HWY_DYNAMIC_DISPATCH(LogSumExp)(logits); }

void LogSum::add(const LogSum& other) noexcept {
  plain += other.plain;
  if (other.maximum <= maximum) {
    sum += other.sum * std::exp(other.maximum - maximum);
    return;
  }
  sum = sum * std::exp(maximum - other.maximum) + other.sum;
  maximum = other.maximum;
}

// A maximum of vectors may drop a NaN, and e^(∞ − ∞) is NaN, so the plain sum decides.
float LogSum::value() const noexcept {
  return std::isfinite(plain) ? maximum + std::log(sum) : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace heed::kernels
#endif
