// How fast a model translates: random weights and sentences, every hypothesis forced to one length.
#pragma once

#include <functional>

#include "heed/options.h"
#include "model/config.h"

namespace heed::bench {

struct TranslateBench {
  Config config;
  Index source_length = 32;  // tokens, </s> counted
  Index target_length = 32;
  Index sentences = 256;  // translated in a round, `batch` at a time
  SearchOptions search;
  ModelOptions model;
  int rounds = 5;
};

struct TranslateBenchResult {
  double tokens_per_second = 0.0;  // of the best hypotheses, median over the rounds
  double ms_per_sentence = 0.0;
  double load_ms = 0.0;  // with the file in the page cache, until the first sentence can start
  double file_mb = 0.0;
  double peak_mb = 0.0;  // of the process
};

// Calls progress(done) after each round.
TranslateBenchResult bench_translate(const TranslateBench& bench, const std::function<void(int done)>& progress);

}  // namespace heed::bench
