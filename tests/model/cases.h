// Models and batches for the tests, and PyTorch's results from fixtures/*.safetensors.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "reference/transformer.h"

namespace heed {

using reference::Tensors;

// A reproducible batch with these source and target lengths; the same formula as in make_fixtures.py.
BatchBuilder make_batch(const Config& config, const std::vector<std::pair<Index, Index>>& lengths);
// The lengths of the batch that the fixtures were made with.
std::vector<std::pair<Index, Index>> fixture_lengths();

// The values that make_fixtures.py gives a model's tensors.
Tensors formula_parameters(const Config& config);
void set_values(Transformer& model, const Tensors& parameters);

// A small model with every size different, for tests that vary one thing.
Config small_config();

// A changed copy: with(small_config(), [](Config& c) { c.heads = 1; }).
template <class Change>
Config with(Config config, const Change& change) {
  change(config);
  return config;
}

// The same with the mixers that every mixer test covers: each kind, alone and among others.
struct MixerCase {
  std::string name;
  Config config;
};
std::vector<MixerCase> mixer_cases();

struct Fixture {
  std::string name;
  Config config;
  Tensors values;  // "logits", "losses", "gradient/<tensor>", "adam_losses"
};
std::vector<Fixture> read_fixtures();

// heed's results for the same parameters and batch.
struct Computed {
  std::vector<float> logits;
  Loss loss;
  Tensors gradient;
};
Computed compute(const Config& config, const Tensors& parameters, const Batch& batch, const Dropout& dropout,
                 int threads);

}  // namespace heed
