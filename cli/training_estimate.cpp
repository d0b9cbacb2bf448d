#include "cli/training_estimate.h"

#include <algorithm>

#include "bench/clock.h"
#include "bench/train.h"
#include "model/memory_need.h"
#include "training/trainer.h"

namespace heed::cli {
namespace {

constexpr double seconds_enough = 2.0;
constexpr double seconds_at_most = 5.0;
constexpr Index batches_at_most = 8;

// Pairs spread evenly over the sample, enough for a few batches.
std::vector<std::pair<Index, Index>> thinned(const std::vector<std::pair<Index, Index>>& lengths, Index batch_tokens) {
  Index tokens = 0;
  for (const auto& [source, target] : lengths) tokens += target;
  const Index step = std::max<Index>(1, tokens / (batches_at_most * batch_tokens));
  std::vector<std::pair<Index, Index>> chosen;
  for (std::size_t i = 0; i < lengths.size(); i += static_cast<std::size_t>(step)) chosen.push_back(lengths[i]);
  return chosen;
}

}  // namespace

TrainingEstimate estimate_training(const Config& config, const std::vector<std::pair<Index, Index>>& lengths,
                                   Index batch_tokens, int threads) {
  check_memory(config, Purpose::training);
  const std::vector<BatchBuilder> batches =
      bench::random_batches({.config = config, .tokens = batch_tokens, .lengths = thinned(lengths, batch_tokens)});
  TrainingEstimate estimate;
  for (const BatchBuilder& builder : batches) {
    const Batch batch = builder.batch();
    const MemoryNeed need =
        memory_need(config, batch.source.offsets.back(), batch.target.offsets.back(), Purpose::training);
    estimate.bytes = std::max(estimate.bytes, need.total());
  }

  Trainer trainer(config, {}, threads);
  // Warm-up: the first update also allocates memory, so it is not timed.
  BatchBuilder small;
  small.add(std::vector{end_token}, std::vector{end_token});
  const Batch warm_up = small.batch();
  const double start = bench::seconds_now();
  trainer.update({&warm_up, 1});
  double measured = 0.0;
  Index tokens = 0;
  for (std::size_t updates = 0;; ++updates) {
    const Batch batch = batches[updates % batches.size()].batch();
    const double seconds = bench::seconds_of([&] { tokens += trainer.update({&batch, 1}).loss.tokens; });
    measured += seconds;
    if (measured > seconds_enough || bench::seconds_now() - start + seconds > seconds_at_most) break;
  }
  estimate.tokens_per_second = static_cast<double>(tokens) / measured;
  return estimate;
}

}  // namespace heed::cli
