#include "training/adam.h"

#include <algorithm>
#include <cmath>

#include "kernels/adam.h"

namespace heed {
namespace {

constexpr Index numbers_per_task = 1 << 16;

// Calls body(task, first, count) in parallel for equal stretches of a flat buffer.
template <class Body>
void for_stretches(Index size, const Workspace& workspace, const Body& body) {
  workspace.threads.run(divide_up(size, numbers_per_task), [&](Index task, int) noexcept {
    const Index first = task * numbers_per_task;
    body(static_cast<std::size_t>(task), static_cast<std::size_t>(first),
         static_cast<std::size_t>(std::min(numbers_per_task, size - first)));
  });
}

}  // namespace

Adam::Adam(Index parameters, const AdamOptions& options, std::vector<Stretch> decayed)
    : options_(options),
      decayed_(std::move(decayed)),
      count_(static_cast<std::size_t>(parameters)),
      first_moment_(count_ * sizeof(float)),
      second_moment_(count_ * sizeof(float)) {}

// Calls body(stretch, decays) for the parts of a stretch that decay and those that do not.
template <class Body>
void Adam::for_decay_parts(Stretch whole, const Body& body) const {
  if (options_.weight_decay == 0.0) return body(whole, false);
  const std::size_t end = whole.first + whole.count;
  std::size_t at = whole.first;
  for (const Stretch& part : decayed_) {
    const std::size_t from = std::clamp(part.first, at, end);
    const std::size_t to = std::clamp(part.first + part.count, at, end);
    if (from > at) body(Stretch{at, from - at}, false);
    if (to > from) body(Stretch{from, to - from}, true);
    at = to;
  }
  if (end > at) body(Stretch{at, end - at}, false);
}

void Adam::update(std::span<float> parameters, std::span<float> gradient, double rate, double scale,
                  const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::optimiser);
  ++updates_;
  const auto t = static_cast<double>(updates_);
  const kernels::AdamStep plain{
      .beta1 = static_cast<float>(options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .epsilon = static_cast<float>(options_.epsilon),
      .gradient_scale = static_cast<float>(scale),
      .rate = static_cast<float>(rate / (1.0 - std::pow(options_.beta1, t))),
      .root_correction = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t))),
  };
  kernels::AdamStep decaying = plain;
  decaying.decay = static_cast<float>(rate * options_.weight_decay);
  for_stretches(static_cast<Index>(parameters.size()), workspace,
                [&](std::size_t, std::size_t first, std::size_t count) noexcept {
                  for_decay_parts({first, count}, [&](Stretch part, bool decays) noexcept {
                    const auto in = [&](std::span<float> buffer) { return buffer.subspan(part.first, part.count); };
                    kernels::adam(decays ? decaying : plain, in(parameters), in(gradient), in(first_moment()),
                                  in(second_moment()));
                  });
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
