#include "kernels/layer_norm.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layer_norm.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

HWY_INLINE NormStats StatsOfRow(const float* x, Index cols, float epsilon) {
  const F32 d;
  VF sum = hn::Zero(d);
  ForEachVector(cols, [&](Index i, auto n) HWY_ATTR { sum = hn::Add(sum, Load(x + i, n)); });
  const float mean = Sum(sum) / static_cast<float>(cols);
  VF squares = hn::Zero(d);
  ForEachVector(cols, [&](Index i, auto n) HWY_ATTR {
    const VF difference = hn::Sub(Fill(Load(x + i, n), mean, n), hn::Set(d, mean));
    squares = hn::MulAdd(difference, difference, squares);
  });
  return {mean, 1.0f / std::sqrt(Sum(squares) / static_cast<float>(cols) + epsilon)};
}

void LayerNorm(Matrix<const float> x, std::span<const float> gain, std::span<const float> bias, float epsilon,
               Matrix<float> y, std::span<NormStats> stats) {
  const F32 d;
  for (Index r = 0; r < x.rows; ++r) {
    const float* from = x.row(r);
    float* to = y.row(r);
    const NormStats s = StatsOfRow(from, x.cols, epsilon);
    stats[static_cast<size_t>(r)] = s;
    const VF mean = hn::Set(d, s.mean);
    const VF inverse = hn::Set(d, s.inverse_deviation);
    ForEachVector(x.cols, [&](Index i, auto n) HWY_ATTR {
      const VF normal = hn::Mul(hn::Sub(Load(from + i, n), mean), inverse);
      Store(hn::MulAdd(normal, Load(gain.data() + i, n), Load(bias.data() + i, n)), to + i, n);
    });
  }
}

// With x̂ the normalised row and g = dy · gain: dx = (g − mean(g) − x̂ · mean(g · x̂)) / deviation.
void LayerNormBackward(Matrix<const float> dy, Matrix<const float> x, std::span<const NormStats> stats,
                       std::span<const float> gain, Matrix<float> dx, std::span<float> dgain, std::span<float> dbias) {
  const F32 d;
  for (Index r = 0; r < x.rows; ++r) {
    const float* xr = x.row(r);
    const float* dyr = dy.row(r);
    float* dxr = dx.row(r);
    const VF mean = hn::Set(d, stats[static_cast<size_t>(r)].mean);
    const VF inverse = hn::Set(d, stats[static_cast<size_t>(r)].inverse_deviation);
    VF sum_g = hn::Zero(d);
    VF sum_gx = hn::Zero(d);
    ForEachVector(x.cols, [&](Index i, auto n) HWY_ATTR {
      const VF out = Load(dyr + i, n);
      const VF normal = hn::Mul(hn::Sub(Load(xr + i, n), mean), inverse);
      const VF g = hn::Mul(out, Load(gain.data() + i, n));
      sum_g = hn::Add(sum_g, g);
      sum_gx = hn::MulAdd(g, normal, sum_gx);
      Store(hn::Add(Load(dbias.data() + i, n), out), dbias.data() + i, n);
      Store(hn::MulAdd(out, normal, Load(dgain.data() + i, n)), dgain.data() + i, n);
    });
    const VF mean_g = hn::Set(d, Sum(sum_g) / static_cast<float>(x.cols));
    const VF mean_gx = hn::Set(d, Sum(sum_gx) / static_cast<float>(x.cols));
    ForEachVector(x.cols, [&](Index i, auto n) HWY_ATTR {
      const VF normal = hn::Mul(hn::Sub(Load(xr + i, n), mean), inverse);
      const VF g = hn::Mul(Load(dyr + i, n), Load(gain.data() + i, n));
      Store(hn::Mul(hn::Sub(hn::NegMulAdd(normal, mean_gx, g), mean_g), inverse), dxr + i, n);
    });
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(LayerNorm);
HWY_EXPORT(LayerNormBackward);

void layer_norm(Matrix<const float> x, std::span<const float> gain, std::span<const float> bias, float epsilon,
                Matrix<float> y, std::span<NormStats> stats) noexcept {
  HWY_DYNAMIC_DISPATCH(LayerNorm)(x, gain, bias, epsilon, y, stats);
}

void layer_norm_backward(Matrix<const float> dy, Matrix<const float> x, std::span<const NormStats> stats,
                         std::span<const float> gain, Matrix<float> dx, std::span<float> dgain,
                         std::span<float> dbias) noexcept {
  HWY_DYNAMIC_DISPATCH(LayerNormBackward)(dy, x, stats, gain, dx, dgain, dbias);
}

}  // namespace heed::kernels
#endif
