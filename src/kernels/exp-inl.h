// The exponential function of a vector, for one instruction set.
#if defined(HEED_KERNELS_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_EXP_INL_H
#undef HEED_KERNELS_EXP_INL_H
#else
#define HEED_KERNELS_EXP_INL_H
#endif

#include "hwy/highway.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// e^x for x ≤ 88, which softmax never exceeds; 0 below −87.3, where the result would be denormal; NaN for NaN.
// Probabilities computed with it are within 1e-6 of the exact ones. With x = n · ln 2 + r it is 2ⁿ · e^r, and
// |r| ≤ ln 2 / 2 needs only a short polynomial. Fewer instructions than Highway's, which covers the whole range.
HWY_INLINE VF Exp(VF x) {
  const F32 d;
  const hn::RebindToUnsigned<F32> du;
  // So large that its last bit has the value 1: adding it rounds to integers. The last 8 bits then hold n + 127, which
  // is the exponent of 2ⁿ.
  const VF magic = hn::Set(d, 12582912.0f + 127.0f);
  const VF shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const VF n = hn::Sub(shifted, magic);
  // ln 2 in two parts, the first with so few bits that n times it is exact even without FMA.
  const VF r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x));
  const VF power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  // (e^r − 1 − r) / r², interpolated at Chebyshev nodes.
  VF e = hn::Set(d, 0.0013926184f);
  e = hn::MulAdd(e, r, hn::Set(d, 0.0083631789f));
  e = hn::MulAdd(e, r, hn::Set(d, 0.0416665561f));
  e = hn::MulAdd(e, r, hn::Set(d, 0.1666657627f));
  e = hn::MulAdd(e, r, hn::Set(d, 0.5f));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0f));
  e = hn::MulAdd(e, r, hn::Set(d, 1.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3f)), hn::Mul(e, power));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
