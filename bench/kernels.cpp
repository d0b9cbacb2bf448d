#include "bench/kernels.h"

#include <fmt/format.h>

#include <cmath>

#include "bench/clock.h"
#include "bench/floor.h"
#include "layers/heads.h"
#include "layers/layer_norm.h"
#include "training/adam.h"

namespace heed::bench {
namespace {

constexpr int runs_per_kernel = 7;

template <class Work>
double median_seconds(const Work& work) {
  std::vector<double> seconds;
  for (int i = 0; i < runs_per_kernel; ++i) seconds.push_back(seconds_of(work));
  return median(seconds);
}

Matrix<float> filled(Arena& arena, Index rows, Index cols) {
  const Matrix<float> m = arena.matrix(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) m(i, j) = std::sin(static_cast<float>(i * 7 + j));
  }
  return m;
}

const char* direction_name(Direction direction) {
  switch (direction) {
    case Direction::forward: return "y = x Wᵀ";
    case Direction::input_gradient: return "dx = dy W";
    case Direction::weight_gradient: return "dW += dyᵀ x";
  }
  return "";
}

void products(const Config& config, Index tokens, const Workspace& workspace, std::vector<KernelFigure>& figures) {
  const OneDnn onednn;
  for (const LinearProduct& p : products_of_step(config, tokens, tokens)) {
    const ProductTimes times = time_product(p, onednn, workspace);
    const double theirs = std::min(times.onednn, times.onednn_workers);
    figures.push_back({fmt::format("{}, {} tokens, {} → {}", direction_name(p.direction), p.rows, p.in, p.out),
                       p.flops() / times.ours * 1e-9, std::isfinite(theirs) ? p.flops() / theirs * 1e-9 : 0.0,
                       "GFLOP/s"});
  }
}

void attention(const Config& config, Index tokens, Index length, const Workspace& workspace,
               std::vector<KernelFigure>& figures) {
  const Arena::Scope scope(workspace.arena);
  const AttentionShape shape = config.attention_shape();
  const Matrix<float> q = filled(workspace.arena, length, shape.d_k);
  const Matrix<float> k = filled(workspace.arena, length, shape.d_k);
  const Matrix<float> v = filled(workspace.arena, length, shape.d_v);
  const Matrix<float> context = filled(workspace.arena, length, shape.d_v);
  const Matrix<float> dq = filled(workspace.arena, length, shape.d_k);
  const Matrix<float> dk = filled(workspace.arena, length, shape.d_k);
  const Matrix<float> dv = filled(workspace.arena, length, shape.d_v);
  const std::span<float> log_sum = workspace.arena.floats(length);
  float* scratch = workspace.arena.floats(kernels::attention_backward_scratch(shape.d_k, shape.d_v)).data();
  const Index heads = std::max<Index>(1, tokens / length) * shape.heads;
  const double products = 2.0 * static_cast<double>(length * length * heads);
  const double forward = median_seconds([&] {
    for (Index i = 0; i < heads; ++i) kernels::attend(q, k, v, kernels::Reach(), context, log_sum, scratch);
  });
  const double backward = median_seconds([&] {
    for (Index i = 0; i < heads; ++i) {
      kernels::attend_backward({q, k, v, context, context, log_sum, dq, dk, dv}, kernels::Reach(), scratch);
    }
  });
  const auto width = static_cast<double>(shape.d_k + shape.d_v);
  figures.push_back(
      {fmt::format("attention, length {}, one thread", length), products * width / forward * 1e-9, 0.0, "GFLOP/s"});
  figures.push_back({fmt::format("attention backward, length {}, one thread", length),
                     products * (width + width + static_cast<double>(shape.d_k)) / backward * 1e-9, 0.0, "GFLOP/s"});
}

void memory_bound(const Config& config, Index tokens, const Workspace& workspace, std::vector<KernelFigure>& figures) {
  const Arena::Scope scope(workspace.arena);
  const Matrix<float> x = filled(workspace.arena, tokens, config.d_model);
  const Matrix<float> y = filled(workspace.arena, tokens, config.d_model);
  const LayerNorm norm{filled(workspace.arena, 1, config.d_model), filled(workspace.arena, 1, config.d_model)};
  const std::span<kernels::NormStats> stats = workspace.arena.array<kernels::NormStats>(tokens);
  const double norm_seconds = median_seconds([&] { layer_norm(x, norm, y, stats, workspace); });
  figures.push_back(
      {"layer norm", 8.0 * static_cast<double>(tokens * config.d_model) / norm_seconds * 1e-9, 0.0, "GB/s"});

  constexpr Index numbers = Index{1} << 24;
  Adam optimiser(numbers, {});
  const Pages parameters(numbers * sizeof(float));
  const Pages gradient(numbers * sizeof(float));
  const auto size = static_cast<std::size_t>(numbers);
  const double adam_seconds = median_seconds([&] {
    optimiser.update({parameters.floats(), size}, {gradient.floats(), size}, 1e-4, 1.0, workspace);
  });
  figures.push_back({"Adam", 32.0 * static_cast<double>(numbers) / adam_seconds * 1e-9, 0.0, "GB/s"});
}

}  // namespace

std::vector<KernelFigure> bench_kernels(const Config& config, Index tokens, Index length, int threads) {
  ThreadPool pool(threads);
  Arena arena;
  const Workspace workspace{pool, arena};
  std::vector<KernelFigure> figures;
  products(config, tokens, workspace, figures);
  attention(config, tokens, length, workspace, figures);
  memory_bound(config, tokens, workspace, figures);
  return figures;
}

}  // namespace heed::bench
