// The logistic function of a vector, for one instruction set.
#if defined(HEED_KERNELS_SIGMOID_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIGMOID_INL_H
#undef HEED_KERNELS_SIGMOID_INL_H
#else
#define HEED_KERNELS_SIGMOID_INL_H
#endif

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

HWY_INLINE VF Sigmoid(VF x) {
  const F32 d;
  const VF one = hn::Set(d, 1.0f);
  // Highway's Exp accepts at most 104, where the result is already infinite.
  return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Min(hn::Set(d, 104.0f), hn::Neg(x)))));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
