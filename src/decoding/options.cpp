#include "heed/options.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check_range.h"

namespace heed {
namespace {

constexpr int most_length = 65536;
constexpr int most_layers = 65536;

}  // namespace

void check(const SearchOptions& options) {
  const Sampling& sampling = options.sampling;
  check_range("beam", options.beam, 1, SearchOptions::most_beam);
  check_range("n-best", options.n_best, 1, SearchOptions::most_beam);
  const bool competing = !sampling.on && !options.alternatives;
  if (competing && options.n_best > options.beam) {
    throw SettingError("n-best", fmt::format("n-best is {}; choose 1 to the beam of {}, or a wider beam",
                                             options.n_best, options.beam));
  }
  check_least("alpha", options.alpha, 0.0f);
  check_range("extra-length", options.extra_length, 0, most_length);
  check_range("min-length", options.min_length, 0, most_length);
  check_range("max-length", options.max_length, 0, most_length);
  if (options.max_length > 0 && options.min_length > options.max_length) {
    throw SettingError("min-length", fmt::format("min-length is {}, more than the max-length of {}; lower it",
                                                 options.min_length, options.max_length));
  }
  check_range("no-repeat", options.no_repeat, 0, most_length);
  check_range("alignment-layer", options.alignment_layer, 0, most_layers);
  if (sampling.on && options.alternatives) {
    throw SettingError("alternatives", "alternatives and sampling cannot be combined; choose one of them");
  }
  if (!std::isfinite(sampling.temperature) || !(sampling.temperature > 0.0f)) {
    throw SettingError("temperature", fmt::format("temperature is {}; choose a number above 0", sampling.temperature));
  }
  if (!(sampling.top_p > 0.0f && sampling.top_p <= 1.0f)) {
    throw SettingError("top-p", fmt::format("top-p is {}; choose above 0 and at most 1", sampling.top_p));
  }
  check_least("top-k", sampling.top_k, 0);
}

}  // namespace heed
