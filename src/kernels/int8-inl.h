// Integers in vectors, for one instruction set.
#if defined(HEED_KERNELS_INT8_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_INT8_INL_H
#undef HEED_KERNELS_INT8_INL_H
#else
#define HEED_KERNELS_INT8_INL_H
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using I16 = hn::ScalableTag<std::int16_t>;
using I32 = hn::ScalableTag<std::int32_t>;
using VI16 = hn::Vec<I16>;
using VI32 = hn::Vec<I32>;

// sums + the products of adjacent elements, added in pairs.
HWY_INLINE VI32 AddPairs(VI32 sums, VI16 a, VI16 b) {
  const I32 d;
#if HWY_ARCH_X86
  VI32 unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, a, b, sums, unused);
#else
  const VI32 a32 = hn::BitCast(d, a);
  const VI32 b32 = hn::BitCast(d, b);
  const auto even = [](VI32 v) HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const VI32 products =
      hn::Add(hn::Mul(even(a32), even(b32)), hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32)));
  return hn::Add(sums, products);
#endif
}

// The largest magnitude of a row. Without the sign bit, the bits of floats order like the numbers, with infinity and
// NaN on top; a maximum of floats could lose a NaN.
HWY_INLINE float LargestMagnitude(const float* x, Index count) {
  const I32 d;
  VI32 largest = hn::Zero(d);
  ForEachVector(count,
                [&](Index i, auto n) HWY_ATTR { largest = hn::Max(largest, hn::BitCast(d, hn::Abs(Load(x + i, n)))); });
  return hn::GetLane(hn::BitCast(F32(), hn::MaxOfLanes(d, largest)));
}

template <class V, class D, class T>
HWY_INLINE void StoreIntegers(V v, D d, T* to, Whole) {
  hn::StoreU(v, d, to);
}
template <class V, class D, class T>
HWY_INLINE void StoreIntegers(V v, D d, T* to, Part part) {
  T buffer[kMaxLanes];
  hn::StoreU(v, d, buffer);
  std::copy_n(buffer, part.count, to);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
