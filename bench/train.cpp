#include "bench/train.h"

#include "base/random.h"
#include "bench/clock.h"
#include "bench/floor.h"
#include "training/trainer.h"

namespace heed::bench {
namespace {

constexpr int warm_up_steps = 2;
// A round lasts at least this long, so that its figure is not that of a single moment.
constexpr double seconds_per_round = 2.0;

void add_random_pair(BatchBuilder& builder, Index source, Index target, const Config& config, std::uint64_t& counter) {
  const auto sentence = [&](Index length, Index vocabulary) {
    std::vector<int> tokens;
    for (Index i = 0; i < length; ++i) {
      tokens.push_back(static_cast<int>(uniform_below(7, counter++, static_cast<std::uint64_t>(vocabulary))));
    }
    return tokens;
  };
  builder.add(sentence(source, config.source_vocab), sentence(target, config.target_vocab));
}

}  // namespace

std::vector<BatchBuilder> random_batches(const TrainBench& bench) {
  std::vector<BatchBuilder> batches(1);
  std::uint64_t counter = 0;
  if (bench.lengths.empty()) {
    for (Index left = bench.tokens; left > 0; left -= bench.length) {
      const Index length = std::min(bench.length, left);
      add_random_pair(batches.back(), length, length, bench.config, counter);
    }
    return batches;
  }
  Index tokens = 0;
  for (const auto& [source, target] : bench.lengths) {
    if (tokens > 0 && tokens + target > bench.tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    add_random_pair(batches.back(), source, target, bench.config, counter);
    tokens += target;
  }
  return batches;
}

TrainBenchResult bench_train(const TrainBench& bench, const std::function<void(int done)>& progress) {
  Trainer trainer(bench.config, {}, bench.threads);
  const std::vector<BatchBuilder> builders = random_batches(bench);
  std::size_t next = 0;
  TrainBenchResult result;
  const auto step = [&] {
    const Batch batch = builders[next++ % builders.size()].batch();
    const UpdateReport report = trainer.update({&batch, 1});
    result.loss = report.smoothed_per_token();
    return report.loss.tokens;
  };
  for (int i = 0; i < warm_up_steps; ++i) step();
  result.peak_mb = static_cast<double>(peak_memory()) / 1e6;

  Index source_tokens = 0;
  Index target_tokens = 0;
  for (const BatchBuilder& builder : builders) {
    source_tokens += builder.batch().source.offsets.back();
    target_tokens += builder.batch().target.offsets.back();
  }
  const auto batches = static_cast<Index>(builders.size());
  const Index mean_target = divide_up(target_tokens, batches);
  const std::vector<LinearProduct> products =
      products_of_step(bench.config, divide_up(source_tokens, batches), mean_target);
  const OneDnn onednn;
  std::vector<double> speeds;
  std::vector<double> floors;
  std::vector<double> ratios;
  int steps = 0;
  for (int round = 0; round < bench.rounds; ++round) {
    trainer.measure(&result.phases);
    Index tokens = 0;
    double seconds = 0.0;
    while (seconds < seconds_per_round) {
      seconds += seconds_of([&] { tokens += step(); });
      ++steps;
    }
    trainer.measure(nullptr);
    speeds.push_back(static_cast<double>(tokens) / seconds);

    double floor_seconds = 0.0;
    for (const LinearProduct& product : products) {
      floor_seconds += static_cast<double>(product.count) * time_product(product, onednn, trainer.workspace()).best();
    }
    floors.push_back(static_cast<double>(mean_target) / floor_seconds);
    ratios.push_back(speeds.back() / floors.back());
    progress(round + 1);
  }
  for (double& seconds : result.phases) seconds /= steps;
  result.tokens_per_second = median(speeds);
  result.floor_tokens_per_second = median(floors);
  result.of_floor = median(ratios);
  return result;
}

}  // namespace heed::bench
