#include "kernels/ssru.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ssru.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/rows-inl.h"
#include "kernels/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

HWY_INLINE VF NextState(VF forget, VF before, VF candidate) {
  return hn::MulAdd(forget, before, hn::Mul(hn::Sub(hn::Set(F32(), 1.0f), forget), candidate));
}

// Lets NaN through, so that a run that diverges is noticed.
HWY_INLINE VF Relu(VF x) { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(F32())), x); }

// The row of the i-th position in the order of a scan.
HWY_INLINE Index RowAt(Index i, Index rows, Direction direction) {
  return direction == Direction::forwards ? i : rows - 1 - i;
}

// A vector of channels goes through the whole sentence, so that its state stays in a register.
void Ssru(Matrix<const float> candidate, Matrix<float> gate, std::span<const float> bias, Direction direction,
          Matrix<float> state, Matrix<float> out) {
  ForEachVector(candidate.cols, [&](Index j, auto n) HWY_ATTR {
    const VF b = Load(bias.data() + j, n);
    VF c = hn::Zero(F32());
    for (Index i = 0; i < candidate.rows; ++i) {
      const Index row = RowAt(i, candidate.rows, direction);
      const VF f = Sigmoid(hn::Add(Load(gate.row(row) + j, n), b));
      c = NextState(f, c, Load(candidate.row(row) + j, n));
      Store(f, gate.row(row) + j, n);
      Store(c, state.row(row) + j, n);
      Store(Relu(c), out.row(row) + j, n);
    }
  });
}

// δ_t = dh_t [c_t > 0] + f_{t+1} ∘ δ_{t+1}; x̃ gets δ_t (1 − f_t), g gets δ_t (c_{t−1} − x̃_t) f_t (1 − f_t).
void SsruBackward(Matrix<const float> dout, Matrix<const float> candidate, Matrix<const float> gate,
                  Matrix<const float> state, Direction direction, Matrix<float> dcandidate, Matrix<float> dgate) {
  const F32 d;
  ForEachVector(candidate.cols, [&](Index j, auto n) HWY_ATTR {
    VF passed = hn::Zero(d);  // f_{t+1} ∘ δ_{t+1}
    for (Index i = candidate.rows; i-- > 0;) {
      const Index row = RowAt(i, candidate.rows, direction);
      const VF f = Load(gate.row(row) + j, n);
      const VF c = Load(state.row(row) + j, n);
      const VF before = i == 0 ? hn::Zero(d) : Load(state.row(RowAt(i - 1, candidate.rows, direction)) + j, n);
      const VF delta = hn::Add(hn::IfThenElseZero(hn::Gt(c, hn::Zero(d)), Load(dout.row(row) + j, n)), passed);
      const VF into = hn::Mul(delta, hn::Sub(hn::Set(d, 1.0f), f));
      passed = hn::Mul(f, delta);
      Store(into, dcandidate.row(row) + j, n);
      Store(hn::Mul(hn::Mul(into, f), hn::Sub(before, Load(candidate.row(row) + j, n))), dgate.row(row) + j, n);
    }
  });
}

void SsruStep(std::span<const float> candidate, const float* gate, std::span<const float> bias, const float* before,
              float* after, float* out) {
  ForEachVector(static_cast<Index>(candidate.size()), [&](Index j, auto n) HWY_ATTR {
    const VF f = Sigmoid(hn::Add(Load(gate + j, n), Load(bias.data() + j, n)));
    const VF c = before == nullptr ? hn::Zero(F32()) : Load(before + j, n);
    const VF next = NextState(f, c, Load(candidate.data() + j, n));
    Store(next, after + j, n);
    Store(Relu(next), out + j, n);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(Ssru);
HWY_EXPORT(SsruBackward);
HWY_EXPORT(SsruStep);

void ssru(Matrix<const float> candidate, Matrix<float> gate, std::span<const float> bias, Direction direction,
          Matrix<float> state, Matrix<float> out) noexcept {
  HWY_DYNAMIC_DISPATCH(Ssru)(candidate, gate, bias, direction, state, out);
}

void ssru_backward(Matrix<const float> dout, Matrix<const float> candidate, Matrix<const float> gate,
                   Matrix<const float> state, Direction direction, Matrix<float> dcandidate,
                   Matrix<float> dgate) noexcept {
  HWY_DYNAMIC_DISPATCH(SsruBackward)(dout, candidate, gate, state, direction, dcandidate, dgate);
}

void ssru_step(std::span<const float> candidate, const float* gate, std::span<const float> bias, const float* before,
               float* after, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(SsruStep)(candidate, gate, bias, before, after, out);
}

}  // namespace heed::kernels
#endif
