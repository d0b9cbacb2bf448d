// The product in 8-bit integers with AVX-512 VNNI.
#pragma once

#include "kernels/int8.h"

namespace heed::kernels {

constexpr std::int32_t vnni_zero_point = 128;  // added to x to make it unsigned
constexpr Index vnni_row_bytes(Index cols) { return round_up(cols, 64); }

#if defined(__x86_64__)
void quantize_avx512_vnni(Matrix<const float> x, Index first, Index count, const Int8Rows& to) noexcept;
void multiply_avx512_vnni(const Int8Rows& x, const Int8Matrix& w, Index first, Index count, const float* bias,
                          Matrix<float> y) noexcept;
#endif

}  // namespace heed::kernels
