// The connection around every sub-layer: LayerNorm(x + Dropout(Sublayer(x))), or with the norm first,
// x + Dropout(Sublayer(LayerNorm(x))).
#pragma once

#include <optional>

#include "base/enum_names.h"
#include "kernels/gemm.h"
#include "layers/dropout.h"
#include "layers/layer_norm.h"
#include "layers/linear.h"

namespace heed {

enum class Norm { after, before };  // after: as in the paper
template <>
struct EnumNames<Norm> {
  static constexpr std::array names{"after", "before"};
};

struct ResidualTrace {
  Matrix<const float> norm_input;  // x + Dropout(Sublayer(x)), or x when the norm comes first
  std::span<kernels::NormStats> stats;
  std::span<const std::uint64_t> keys;  // of the dropout masks, one per row
};

struct Residual {
  const LayerNorm& weights;
  Norm norm;
  kernels::DropoutRate rate;
};

// out = x + Dropout(out)
void add_residual(Matrix<const float> x, std::span<const std::uint64_t> keys, kernels::DropoutRate rate,
                  Matrix<float> out, const Workspace& workspace);
// dsublayer = Dropout(dout)
void drop_rows(Matrix<const float> dout, std::span<const std::uint64_t> keys, kernels::DropoutRate rate,
               Matrix<float> dsublayer, const Workspace& workspace);
// dx += dy
void add_rows(Matrix<const float> dy, Matrix<float> dx, const Workspace& workspace);

// Returns the output. sublayer(input, output) computes the sub-layer.
template <class Sublayer>
Matrix<float> residual(Matrix<const float> x, const Residual& r, std::span<const std::uint64_t> keys,
                       const Workspace& workspace, ResidualTrace* trace, const Sublayer& sublayer) {
  Arena& arena = workspace.arena;
  const Matrix<float> y = arena.matrix(x.rows, x.cols);
  std::optional<Arena::Scope> scope;
  if (trace == nullptr) scope.emplace(arena);
  const Matrix<float> inside = arena.matrix(x.rows, x.cols);
  const std::span<kernels::NormStats> stats = arena.array<kernels::NormStats>(x.rows);
  if (r.norm == Norm::after) {
    sublayer(x, inside);
    const PhaseTimer timer(workspace, Phase::residual);
    add_residual(x, keys, r.rate, inside, workspace);
    layer_norm(inside, r.weights, y, stats, workspace);
  } else {
    {
      const PhaseTimer timer(workspace, Phase::residual);
      layer_norm(x, r.weights, inside, stats, workspace);
    }
    sublayer(inside, y);
    const PhaseTimer timer(workspace, Phase::residual);
    add_residual(x, keys, r.rate, y, workspace);
  }
  if (trace != nullptr) *trace = {r.norm == Norm::after ? Matrix<const float>(inside) : x, stats, keys};
  return y;
}

// dx holds the gradient of the output and is replaced by that of x. sublayer_backward(dout, Into) computes the
// sub-layer's.
template <class SublayerBackward>
void residual_backward(Matrix<float> dx, const Residual& r, const ResidualTrace& trace, const LayerNorm& gradient,
                       const Workspace& workspace, const SublayerBackward& sublayer_backward) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> dout = workspace.arena.matrix(dx.rows, dx.cols);
  if (r.norm == Norm::after) {
    {
      const PhaseTimer timer(workspace, Phase::residual);
      layer_norm_backward(dx, trace.norm_input, trace.stats, r.weights, gradient, dx, workspace);
      drop_rows(dx, trace.keys, r.rate, dout, workspace);
    }
    sublayer_backward(dout, Into{dx, kernels::Start::add});
  } else {
    const Matrix<float> dinput = workspace.arena.matrix(dx.rows, dx.cols);
    {
      const PhaseTimer timer(workspace, Phase::residual);
      drop_rows(dx, trace.keys, r.rate, dout, workspace);
    }
    sublayer_backward(dout, Into{dinput, kernels::Start::zero});
    const PhaseTimer timer(workspace, Phase::residual);
    layer_norm_backward(dinput, trace.norm_input, trace.stats, r.weights, gradient, dinput, workspace);
    add_rows(dinput, dx, workspace);
  }
}

}  // namespace heed
