// A model with the fixtures' weights, what it needs to search, and comparisons of results.
#pragma once

#include "decoding/slow_search.h"
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {

using Sources = std::vector<std::vector<int>>;
using Results = std::vector<std::vector<Hypothesis>>;

struct SearchCase {
  explicit SearchCase(const Config& config, int threads = 1, Purpose purpose = Purpose::inference);

  // Shifts a token's logit; the config has an output bias.
  void favour(int token, float shift);
  void favour_end(float shift) { favour(end_token, shift); }
  void scale_output(float factor);

  Results search(const Sources& sources, const SearchOptions& options, Index batch = 64);
  // One request of any kind; throws its error.
  std::vector<Hypothesis> find(const std::vector<int>& source, const std::vector<int>& prefix, Task task,
                               const SearchOptions& options);

  ThreadPool pool;
  Arena arena{std::size_t{256} << 20};
  Workspace workspace{pool, arena};
  Transformer model;
};

Sources make_sources(const Config& config, const std::vector<Index>& lengths);
Config config_with_output_bias();

// The most probable token at every step.
std::vector<int> greedy(SearchCase& c, const std::vector<int>& source, std::size_t most);
// −log P of the hypothesis as the training loss computes it.
double forced_loss(SearchCase& c, const std::vector<int>& source, const Hypothesis& hypothesis);

std::string text_of(const Hypothesis& hypothesis);
void expect_equal(const std::vector<Hypothesis>& got, const std::vector<Hypothesis>& want, const std::string& what);
void expect_same_bits(const Results& a, const Results& b, const std::string& what);

}  // namespace heed
