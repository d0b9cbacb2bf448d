#include "kernels/int8_vnni.h"

#include <algorithm>

#include "hwy/highway.h"
#include "kernels/isa.h"

#if HWY_ARCH_X86
#include <immintrin.h>

// Highway has no product of unsigned by signed bytes, and its level with VNNI asks for a newer processor than that.
HWY_PUSH_ATTRIBUTES("avx,avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni")
#include "kernels/int8_vnni-inl.h"

namespace heed::kernels {
namespace {

struct Avx512Vnni {
  using Type = __m512i;
  static HWY_INLINE Type start(const std::int32_t* channel_sums) {
    return _mm512_mullo_epi32(_mm512_loadu_si512(channel_sums), _mm512_set1_epi32(-vnni_zero_point));
  }
  static HWY_INLINE Type bytes(const std::int8_t* from) { return _mm512_loadu_si512(from); }
  static HWY_INLINE Type repeated(const std::uint8_t* from) {
    std::int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    return _mm512_set1_epi32(four);
  }
  // Written out, as GCC 12 copies the sums of the intrinsic around and keeps some of them in memory.
  static HWY_INLINE Type add_dot(Type sums, Type x, Type w) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(w));
    return sums;
  }
  static HWY_INLINE void rescale(Type sums, float x_scale, const float* scales, const float* bias, Index channels,
                                 float* to) {
    const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(x_scale), _mm512_loadu_ps(scales));
    const auto mask = static_cast<__mmask16>((1u << channels) - 1);
    // With a mask also here: GCC 12 warns of the plain conversion's own undefined vector.
    __m512 y = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(mask, sums), scale);
    if (bias != nullptr) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(mask, bias));
    _mm512_mask_storeu_ps(to, mask, y);
  }
};

}  // namespace

void multiply_avx512_vnni(const Int8Rows& x, const Int8Matrix& w, Index first, Index count, const float* bias,
                          Matrix<float> y) noexcept {
  multiply_vnni_panels<Avx512Vnni>(x, w, first, count, bias, y);
}

}  // namespace heed::kernels
HWY_POP_ATTRIBUTES
#endif
