// How fast training steps run, against the floor of their matrix products.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "layers/workspace.h"
#include "model/batch.h"

namespace heed::bench {

struct TrainBench {
  Config config;
  Index tokens = 2000;                           // target tokens per batch
  Index length = 25;                             // tokens of each sentence, source and target, `</s>` counted
  std::vector<std::pair<Index, Index>> lengths;  // source and target lengths instead, split into batches in this order
  int threads = 1;
  int rounds = 5;  // each measures steps and floor in turn
};

struct TrainBenchResult {
  double tokens_per_second = 0.0;        // target tokens, median over the rounds
  double floor_tokens_per_second = 0.0;  // of a step that is nothing but its products
  double of_floor = 0.0;                 // median of the rounds' own ratios
  double peak_mb = 0.0;                  // of the process, before the floor takes its memory
  double loss = 0.0;                     // of the last step, per token
  PhaseSeconds phases{};                 // of one step, mean over the rounds
};

// Batches of random tokens with the lengths that `bench` gives.
std::vector<BatchBuilder> random_batches(const TrainBench& bench);

// Random weights and tokens; with dropout and everything else enabled. Calls progress(done) after each round.
TrainBenchResult bench_train(const TrainBench& bench, const std::function<void(int done)>& progress);

}  // namespace heed::bench
