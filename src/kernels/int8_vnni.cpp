#include "kernels/int8_vnni.h"

#include <algorithm>

#include "hwy/highway.h"
#include "kernels/isa.h"

#if HWY_ARCH_X86
#include <immintrin.h>

// Highway has no product of unsigned by signed bytes, and its level with VNNI needs a newer processor than that.
HWY_PUSH_ATTRIBUTES("avx,avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni")
#include "kernels/int8_vnni-inl.h"

namespace heed::kernels {
namespace {

// A mask of the first lanes of a vector; all of them if there are more.
HWY_INLINE __mmask16 first_of(Index count) {
  return static_cast<__mmask16>((1u << std::clamp<Index>(count, 0, 16)) - 1);
}

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
  // Inline assembly: for the intrinsic GCC 12 copies the sums around and spills some of them.
  static HWY_INLINE Type add_dot(Type sums, Type x, Type w) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(w));
    return sums;
  }
  static HWY_INLINE void rescale(Type sums, float x_scale, const float* scales, const float* bias, Index channels,
                                 float* to) {
    const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(x_scale), _mm512_loadu_ps(scales));
    const __mmask16 mask = first_of(channels);
    __m512 y = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
    if (bias != nullptr) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(mask, bias));
    _mm512_mask_storeu_ps(to, mask, y);
  }
};

// The largest magnitude, by the bits without the sign: they order like the numbers, with infinity and NaN on top.
HWY_INLINE float largest_magnitude(const float* x, Index count) {
  __m512i largest = _mm512_setzero_si512();
  for (Index i = 0; i < count; i += 16) {
    const __m512i bits = _mm512_castps_si512(_mm512_maskz_loadu_ps(first_of(count - i), x + i));
    largest = _mm512_max_epi32(largest, _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff)));
  }
  return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(_mm512_reduce_max_epi32(largest))));
}

// Four vectors become one of bytes, which packing leaves in the order of the 128-bit parts that they came from.
HWY_INLINE void quantize_line(const float* x, Index count, __m512 factor, std::byte* to) {
  __m512i v[4];
  for (Index i = 0; i < 4; ++i) {
    const __m512 numbers = _mm512_maskz_loadu_ps(first_of(count - 16 * i), x + 16 * i);
    v[i] = _mm512_cvtps_epi32(_mm512_mul_ps(numbers, factor));
  }
  const __m512i mixed = _mm512_packs_epi16(_mm512_packs_epi32(v[0], v[1]), _mm512_packs_epi32(v[2], v[3]));
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_permutexvar_epi32(order, mixed);
  static_assert(vnni_zero_point == 128, "is added by flipping the highest bit");
  _mm512_store_si512(to, _mm512_xor_si512(bytes, _mm512_set1_epi8(-128)));
}

}  // namespace

void quantize_avx512_vnni(Matrix<const float> x, Index first, Index count, const Int8Rows& to) noexcept {
  for (Index i = first; i < first + count; ++i) {
    const float magnitude = largest_magnitude(x.row(i), x.cols);
    const __m512 factor = _mm512_set1_ps(int8_factor(magnitude));
    std::byte* row = to.data + i * vnni_row_bytes(x.cols);
    for (Index k = 0; k < x.cols; k += 64) quantize_line(x.row(i) + k, x.cols - k, factor, row + k);
    to.scales[i] = int8_scale(magnitude);
  }
}

void multiply_avx512_vnni(const Int8Rows& x, const Int8Matrix& w, Index first, Index count, const float* bias,
                          Matrix<float> y) noexcept {
  multiply_vnni_panels<Avx512Vnni>(x, w, first, count, bias, y);
}

}  // namespace heed::kernels
HWY_POP_ATTRIBUTES
#endif
