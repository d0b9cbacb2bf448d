#include "kernels/adam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/adam.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void Adam(const AdamStep& step, std::span<float> parameters, std::span<float> gradient, std::span<float> first_moment,
          std::span<float> second_moment) {
  const F32 d;
  const VF beta1 = hn::Set(d, step.beta1);
  const VF beta2 = hn::Set(d, step.beta2);
  const VF rest1 = hn::Set(d, 1.0f - step.beta1);
  const VF rest2 = hn::Set(d, 1.0f - step.beta2);
  const VF epsilon = hn::Set(d, step.epsilon);
  const VF scale = hn::Set(d, step.gradient_scale);
  const VF rate = hn::Set(d, step.rate);
  const VF correction = hn::Set(d, step.root_correction);
  const VF decay = hn::Set(d, step.decay);
  const bool decays = step.decay != 0.0f;
  float* p = parameters.data();
  float* g = gradient.data();
  float* m = first_moment.data();
  float* v = second_moment.data();
  ForEachVector(static_cast<Index>(parameters.size()), [&](Index i, auto n) HWY_ATTR {
    const VF gi = hn::Mul(Load(g + i, n), scale);
    const VF mi = hn::MulAdd(beta1, Load(m + i, n), hn::Mul(rest1, gi));
    const VF vi = hn::MulAdd(beta2, Load(v + i, n), hn::Mul(rest2, hn::Mul(gi, gi)));
    const VF denominator = hn::MulAdd(hn::Sqrt(vi), correction, epsilon);
    VF pi = Load(p + i, n);
    if (decays) pi = hn::NegMulAdd(decay, pi, pi);
    Store(hn::NegMulAdd(rate, hn::Div(mi, denominator), pi), p + i, n);
    Store(mi, m + i, n);
    Store(vi, v + i, n);
    Store(hn::Zero(d), g + i, n);
  });
}

double SumOfSquares(std::span<const float> values) {
  const F32 d;
  // Blocks keep the f32 sums short; the blocks are added in double.
  constexpr Index block = 1024;
  double total = 0.0;
  const Index count = static_cast<Index>(values.size());
  for (Index first = 0; first < count; first += block) {
    VF sum = hn::Zero(d);
    ForEachVector(std::min(block, count - first), [&](Index i, auto n) HWY_ATTR {
      const VF x = Load(values.data() + first + i, n);
      sum = hn::MulAdd(x, x, sum);
    });
    total += static_cast<double>(Sum(sum));
  }
  return total;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(Adam);
HWY_EXPORT(SumOfSquares);

void adam(const AdamStep& step, std::span<float> parameters, std::span<float> gradient, std::span<float> first_moment,
          std::span<float> second_moment) noexcept {
  HWY_DYNAMIC_DISPATCH(Adam)(step, parameters, gradient, first_moment, second_moment);
}

double sum_of_squares(std::span<const float> values) noexcept { return HWY_DYNAMIC_DISPATCH(SumOfSquares)(values); }

}  // namespace heed::kernels
#endif
