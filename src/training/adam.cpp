#include "training/adam.h"

#include <algorithm>
#include <cmath>

#include "kernels/adam.h"

namespace heed {
namespace {

constexpr Index numbers_per_task = 1 << 16;

// Calls body(task, first, count) for equal stretches of a flat buffer.
template <class Body>
void for_stretches(Index size, const Workspace& workspace, const Body& body) {
  workspace.threads.run(divide_up(size, numbers_per_task), [&](Index task, int) noexcept {
    const Index first = task * numbers_per_task;
    body(static_cast<std::size_t>(task), static_cast<std::size_t>(first),
         static_cast<std::size_t>(std::min(numbers_per_task, size - first)));
  });
}

}  // namespace

Adam::Adam(Index parameters, const AdamOptions& options)
    : options_(options),
      count_(static_cast<std::size_t>(parameters)),
      first_moment_(count_ * sizeof(float)),
      second_moment_(count_ * sizeof(float)) {}

void Adam::update(std::span<float> parameters, std::span<float> gradient, double rate, double scale,
                  const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::optimiser);
  ++updates_;
  const auto t = static_cast<double>(updates_);
  const kernels::AdamStep step{
      .beta1 = static_cast<float>(options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .epsilon = static_cast<float>(options_.epsilon),
      .gradient_scale = static_cast<float>(scale),
      .rate = static_cast<float>(rate / (1.0 - std::pow(options_.beta1, t))),
      .root_correction = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t))),
  };
  for_stretches(static_cast<Index>(parameters.size()), workspace,
                [&](std::size_t, std::size_t first, std::size_t count) noexcept {
                  kernels::adam(step, parameters.subspan(first, count), gradient.subspan(first, count),
                                first_moment().subspan(first, count), second_moment().subspan(first, count));
                });
}

double gradient_norm(std::span<const float> gradient, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::optimiser);
  const Arena::Scope scope(workspace.arena);
  const std::span<double> squares =
      workspace.arena.array<double>(divide_up(static_cast<Index>(gradient.size()), numbers_per_task));
  for_stretches(static_cast<Index>(gradient.size()), workspace,
                [&](std::size_t task, std::size_t first, std::size_t count) noexcept {
                  squares[task] = kernels::sum_of_squares(gradient.subspan(first, count));
                });
  double total = 0.0;
  for (const double square : squares) total += square;
  return std::sqrt(total);
}

}  // namespace heed
