#include "kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#include "hwy/foreach_target.h"

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "kernels/rows-inl.h"
#include "kernels/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

constexpr Index kMaskBlock = 32;

// The factors of 32 channels, 0 or rate.scale: dropout_keeps() on vectors.
HWY_INLINE void MaskBlock(std::uint64_t key, Index block, DropoutRate rate, float* HWY_RESTRICT mask) {
  const F32 d;
  const hn::RebindToUnsigned<F32> du;
  const auto low = hn::Set(du, static_cast<std::uint32_t>(key));
  const auto high = hn::Set(du, static_cast<std::uint32_t>(key >> 32));
  const auto threshold = hn::Set(du, rate.threshold);
  const VF scale = hn::Set(d, rate.scale);
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto keep = [&](auto half)
                        HWY_ATTR { return hn::IfThenZeroElse(hn::RebindMask(d, hn::Lt(half, threshold)), scale); };
  for (Index lane = 0; lane < kMaskBlock / 2; lane += lanes) {
    auto x = hn::Iota(du, static_cast<std::uint32_t>(block * (kMaskBlock / 2) + lane));
    x = hn::Add(hn::Mul(x, hn::Set(du, 0x9e3779b9u)), low);
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(du, 0x85ebca6bu));
    x = hn::Mul(hn::Xor(hn::Xor(x, hn::ShiftRight<13>(x)), high), hn::Set(du, 0xc2b2ae35u));
    x = hn::Xor(x, hn::ShiftRight<16>(x));
    hn::StoreU(keep(hn::And(x, hn::Set(du, 0xffffu))), d, mask + lane);
    hn::StoreU(keep(hn::ShiftRight<16>(x)), d, mask + kMaskBlock / 2 + lane);
  }
}

// Calls body(i, mask, Whole or Part) along a row, with the factors of the channels from i on.
template <class Body>
HWY_INLINE void ForEachMasked(Index cols, std::uint64_t key, DropoutRate rate, const Body& body) {
  HWY_ALIGN float mask[kMaskBlock];
  for (Index j = 0; j < cols; j += kMaskBlock) {
    MaskBlock(key, j / kMaskBlock, rate, mask);
    ForEachVector(std::min(kMaskBlock, cols - j),
                  [&](Index i, auto n) HWY_ATTR { body(j + i, hn::LoadU(F32(), mask + i), n); });
  }
}

void Add(Matrix<const float> x, Matrix<const float> y, Matrix<float> out) {
  for (Index r = 0; r < x.rows; ++r) {
    const float* xr = x.row(r);
    const float* yr = y.row(r);
    float* to = out.row(r);
    ForEachVector(x.cols,
                  [&](Index i, auto n) HWY_ATTR { Store(hn::Add(Load(xr + i, n), Load(yr + i, n)), to + i, n); });
  }
}

void AddDropped(Matrix<const float> x, Matrix<const float> y, std::span<const std::uint64_t> keys, DropoutRate rate,
                Matrix<float> out) {
  for (Index r = 0; r < x.rows; ++r) {
    const float* xr = x.row(r);
    const float* yr = y.row(r);
    float* to = out.row(r);
    ForEachMasked(x.cols, keys[static_cast<size_t>(r)], rate, [&](Index i, VF mask, auto n) HWY_ATTR {
      Store(hn::MulAdd(mask, Load(yr + i, n), Load(xr + i, n)), to + i, n);
    });
  }
}

void Drop(Matrix<const float> x, std::span<const std::uint64_t> keys, DropoutRate rate, Matrix<float> out) {
  for (Index r = 0; r < x.rows; ++r) {
    const float* from = x.row(r);
    float* to = out.row(r);
    ForEachMasked(x.cols, keys[static_cast<size_t>(r)], rate,
                  [&](Index i, VF mask, auto n) HWY_ATTR { Store(hn::Mul(mask, Load(from + i, n)), to + i, n); });
  }
}

// The normal distribution function Φ(x) by Abramowitz and Stegun 7.1.26, with an error below 1e-7; also e^(-x²/2),
// which its derivative needs.
HWY_INLINE VF NormalCdf(VF x, VF& exponential) {
  const F32 d;
  const VF one = hn::Set(d, 1.0f);
  const VF z = hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678118654752f));
  exponential = hn::Exp(d, hn::Neg(hn::Mul(z, z)));
  const VF t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.3275911f), z, one));
  VF p = hn::Set(d, 1.061405429f);
  p = hn::MulAdd(p, t, hn::Set(d, -1.453152027f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.421413741f));
  p = hn::MulAdd(p, t, hn::Set(d, -0.284496736f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.254829592f));
  const VF upper_tail = hn::Mul(hn::Set(d, 0.5f), hn::Mul(hn::Mul(p, t), exponential));  // 1 − Φ(|x|)
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), upper_tail, hn::Sub(one, upper_tail));
}

constexpr float kSigmoidSlope = 1.702f;
constexpr float kTanhScale = 1.5957691216057308f;  // 2 √(2/π)
constexpr float kTanhCubic = 0.044715f;

// The gate of gelu_tanh is 0 or 1 long before this, and much further out x³ overflows.
HWY_INLINE VF NearZero(VF x) { return hn::Clamp(x, hn::Set(F32(), -20.0f), hn::Set(F32(), 20.0f)); }

// ½ (1 + tanh(√(2/π) (x + 0.044715 x³))) is σ of this.
HWY_INLINE VF TanhGate(VF x) {
  const F32 d;
  const VF cubic = hn::MulAdd(hn::Mul(x, x), hn::Set(d, kTanhCubic), hn::Set(d, 1.0f));
  return hn::Mul(hn::Mul(x, hn::Set(d, kTanhScale)), cubic);
}

// The derivative of x · σ(k(x)), with s = σ(k(x)) and the derivative of k.
HWY_INLINE VF GatedSlope(VF x, VF s, VF slope) {
  return hn::MulAdd(hn::Mul(hn::Mul(x, slope), s), hn::Sub(hn::Set(F32(), 1.0f), s), s);
}

template <class F>
HWY_INLINE void Map(Matrix<const float> x, Matrix<float> y, const F& f) {
  for (Index r = 0; r < x.rows; ++r) {
    const float* from = x.row(r);
    float* to = y.row(r);
    ForEachVector(x.cols, [&](Index i, auto n) HWY_ATTR { Store(f(Load(from + i, n)), to + i, n); });
  }
}

template <class F>
HWY_INLINE void Map2(Matrix<const float> a, Matrix<const float> b, Matrix<float> y, const F& f) {
  for (Index r = 0; r < a.rows; ++r) {
    const float* ar = a.row(r);
    const float* br = b.row(r);
    float* to = y.row(r);
    ForEachVector(a.cols, [&](Index i, auto n) HWY_ATTR { Store(f(Load(ar + i, n), Load(br + i, n)), to + i, n); });
  }
}

void Activate(Activation f, Matrix<const float> x, Matrix<float> y) {
  const F32 d;
  switch (f) {
    case Activation::relu: return Map(x, y, [&](VF v) HWY_ATTR { return hn::Max(v, hn::Zero(d)); });
    case Activation::swish: return Map(x, y, [&](VF v) HWY_ATTR { return hn::Mul(v, Sigmoid(v)); });
    case Activation::gelu:
      return Map(x, y, [&](VF v) HWY_ATTR {
        VF exponential;
        return hn::Mul(v, NormalCdf(v, exponential));
      });
    case Activation::gelu_tanh:
      return Map(x, y, [&](VF v) HWY_ATTR { return hn::Mul(v, Sigmoid(TanhGate(NearZero(v)))); });
    case Activation::gelu_sigmoid:
      return Map(x, y, [&](VF v) HWY_ATTR { return hn::Mul(v, Sigmoid(hn::Mul(v, hn::Set(d, kSigmoidSlope)))); });
  }
}

void ActivateBackward(Activation f, Matrix<const float> dy, Matrix<const float> x, Matrix<float> dx) {
  const F32 d;
  switch (f) {
    case Activation::relu:
      return Map2(dy, x, dx, [&](VF g, VF v) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(v, hn::Zero(d)), g); });
    case Activation::swish:
      return Map2(dy, x, dx, [&](VF g, VF v) HWY_ATTR {
        const VF s = Sigmoid(v);
        return hn::Mul(g, hn::MulAdd(hn::Mul(v, s), hn::Sub(hn::Set(d, 1.0f), s), s));
      });
    case Activation::gelu:
      return Map2(dy, x, dx, [&](VF g, VF v) HWY_ATTR {
        VF exponential;
        const VF cdf = NormalCdf(v, exponential);
        const VF density = hn::Mul(exponential, hn::Set(d, 0.39894228040143268f));
        return hn::Mul(g, hn::MulAdd(v, density, cdf));
      });
    case Activation::gelu_tanh:
      return Map2(dy, x, dx, [&](VF g, VF at) HWY_ATTR {
        const VF v = NearZero(at);
        const VF slope = hn::MulAdd(hn::Mul(v, v), hn::Set(d, 3.0f * kTanhScale * kTanhCubic), hn::Set(d, kTanhScale));
        return hn::Mul(g, GatedSlope(v, Sigmoid(TanhGate(v)), slope));
      });
    case Activation::gelu_sigmoid:
      return Map2(dy, x, dx, [&](VF g, VF v) HWY_ATTR {
        const VF slope = hn::Set(d, kSigmoidSlope);
        return hn::Mul(g, GatedSlope(v, Sigmoid(hn::Mul(v, slope)), slope));
      });
  }
}

void AddScaled(std::span<const float> from, float factor, std::span<float> to) {
  const VF f = hn::Set(F32(), factor);
  ForEachVector(static_cast<Index>(to.size()), [&](Index i, auto n) HWY_ATTR {
    Store(hn::MulAdd(f, Load(from.data() + i, n), Load(to.data() + i, n)), to.data() + i, n);
  });
}

void ScaleAndAdd(std::span<const float> from, float factor, std::span<const float> plus, std::span<float> out) {
  const F32 d;
  const VF f = hn::Set(d, factor);
  ForEachVector(static_cast<Index>(out.size()), [&](Index i, auto n) HWY_ATTR {
    const VF offset = plus.empty() ? hn::Zero(d) : Load(plus.data() + i, n);
    Store(hn::MulAdd(f, Load(from.data() + i, n), offset), out.data() + i, n);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(Add);
HWY_EXPORT(AddDropped);
HWY_EXPORT(Drop);
HWY_EXPORT(Activate);
HWY_EXPORT(ActivateBackward);
HWY_EXPORT(AddScaled);
HWY_EXPORT(ScaleAndAdd);

void add(Matrix<const float> x, Matrix<const float> y, Matrix<float> out) noexcept {
  HWY_DYNAMIC_DISPATCH(Add)(x, y, out);
}

void add_dropped(Matrix<const float> x, Matrix<const float> y, std::span<const std::uint64_t> keys, DropoutRate rate,
                 Matrix<float> out) noexcept {
  if (rate.threshold == 0) return add(x, y, out);
  HWY_DYNAMIC_DISPATCH(AddDropped)(x, y, keys, rate, out);
}

void drop(Matrix<const float> x, std::span<const std::uint64_t> keys, DropoutRate rate, Matrix<float> out) noexcept {
  if (rate.threshold == 0) {
    if (out.data == x.data) return;
    for (Index r = 0; r < x.rows; ++r) std::copy_n(x.row(r), x.cols, out.row(r));
    return;
  }
  HWY_DYNAMIC_DISPATCH(Drop)(x, keys, rate, out);
}

void activate(Activation f, Matrix<const float> x, Matrix<float> y) noexcept {
  HWY_DYNAMIC_DISPATCH(Activate)(f, x, y);
}

void activate_backward(Activation f, Matrix<const float> dy, Matrix<const float> x, Matrix<float> dx) noexcept {
  HWY_DYNAMIC_DISPATCH(ActivateBackward)(f, dy, x, dx);
}

void add_scaled(std::span<const float> from, float factor, std::span<float> to) noexcept {
  HWY_DYNAMIC_DISPATCH(AddScaled)(from, factor, to);
}

void scale_and_add(std::span<const float> from, float factor, std::span<const float> plus,
                   std::span<float> out) noexcept {
  HWY_DYNAMIC_DISPATCH(ScaleAndAdd)(from, factor, plus, out);
}

void add_column_sums(Matrix<const float> x, std::span<float> sums) noexcept {
  for (Index r = 0; r < x.rows; ++r) add_scaled(x.row_span(r), 1.0f, sums);
}

}  // namespace heed::kernels
#endif
