// The matrix product inside one instruction set, for kernels that call it on small tiles.
#if defined(HEED_KERNELS_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_INL_H
#undef HEED_KERNELS_GEMM_INL_H
#else
#define HEED_KERNELS_GEMM_INL_H
#endif

#include "hwy/highway.h"
#include "kernels/gemm.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// Two vectors per row: 12 accumulators, 2 vectors of B and 1 of A fit the 16 registers of AVX2; AVX-512 has 32.
constexpr int kRowGroup = HWY_TARGET == HWY_AVX3 ? 12 : 6;
HWY_INLINE Index PanelWidth() { return 2 * static_cast<Index>(hn::Lanes(F32())); }

HWY_INLINE Left LeftRows(Matrix<const float> a) { return {a.data, kRowGroup * a.stride, a.stride, 1}; }
HWY_INLINE Left LeftTransposed(Matrix<const float> a) { return {a.data, kRowGroup, 1, a.stride}; }
HWY_INLINE Right RightRows(Matrix<const float> b) { return {b.data, PanelWidth(), b.stride}; }
HWY_INLINE Right RightPanels(const float* panels, Index depth) { return {panels, depth * PanelWidth(), PanelWidth()}; }

// C = start + A · B. Defined in gemm.cpp, once for each instruction set.
void MultiplyBlock(const Left& a, const Right& b, Index depth, Matrix<float> c, Start start, const float* bias);

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
