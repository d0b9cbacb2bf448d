// Loops over the elements of a row, for one instruction set: whole vectors first, then the rest.
#if defined(HEED_KERNELS_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ROWS_INL_H
#undef HEED_KERNELS_ROWS_INL_H
#else
#define HEED_KERNELS_ROWS_INL_H
#endif

#include <algorithm>

#include "base/index.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using VF = hn::Vec<F32>;
constexpr size_t kMaxLanes = hn::MaxLanes(F32());

struct Whole {};  // a full vector
struct Part {     // the first `count` numbers of one
  Index count;
};

HWY_INLINE VF Load(const float* from, Whole) { return hn::LoadU(F32(), from); }
HWY_INLINE void Store(VF v, float* to, Whole) { hn::StoreU(v, F32(), to); }

// Through a buffer: nothing beyond the row is read or written on any instruction set. Missing elements read as 0.
HWY_INLINE VF Load(const float* from, Part part) {
  HWY_ALIGN float buffer[kMaxLanes] = {};
  std::copy_n(from, part.count, buffer);
  return hn::Load(F32(), buffer);
}
HWY_INLINE void Store(VF v, float* to, Part part) {
  HWY_ALIGN float buffer[kMaxLanes];
  hn::Store(v, F32(), buffer);
  std::copy_n(buffer, part.count, to);
}

// Sets the elements that a part lacks.
HWY_INLINE VF Fill(VF v, float, Whole) { return v; }
HWY_INLINE VF Fill(VF v, float missing, Part part) {
  const F32 d;
  return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(part.count)), v, hn::Set(d, missing));
}

// Calls body(i, Whole) at each full vector and body(i, Part) once for the rest.
template <class Body>
HWY_INLINE void ForEachVector(Index count, const Body& body) {
  const Index lanes = static_cast<Index>(hn::Lanes(F32()));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) body(i, Whole());
  if (i < count) body(i, Part{count - i});
}

HWY_INLINE float Sum(VF v) { return hn::GetLane(hn::SumOfLanes(F32(), v)); }
HWY_INLINE float Max(VF v) { return hn::GetLane(hn::MaxOfLanes(F32(), v)); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
