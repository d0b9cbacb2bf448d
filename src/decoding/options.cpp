#include "heed/options.h"

#include <fmt/format.h>

#include <cmath>

#include "decoding/check_range.h"
#include "heed/error.h"

namespace heed {
namespace {

constexpr int most_beam = 1024;
constexpr int most_length = 65536;
constexpr int most_layers = 65536;

}  // namespace

void check(const SearchOptions& options) {
  check_range("beam", options.beam, 1, most_beam);
  check_range("n-best", options.n_best, 1, most_beam);
  const bool competing = !options.sampling.on && !options.alternatives;
  if (competing && options.n_best > options.beam) {
    throw Error(fmt::format("n-best is {}; choose 1 to the beam of {}, or a wider beam", options.n_best, options.beam));
  }
  if (!std::isfinite(options.alpha) || options.alpha < 0.0f) {
    throw Error(fmt::format("alpha is {}; choose 0 or more", options.alpha));
  }
  check_range("extra-length", options.extra_length, 0, most_length);
  check_range("min-length", options.min_length, 0, most_length);
  check_range("max-length", options.max_length, 0, most_length);
  if (options.max_length > 0 && options.min_length > options.max_length) {
    throw Error(fmt::format("min-length is {} and max-length {}; choose one that is no longer than the other",
                            options.min_length, options.max_length));
  }
  check_range("no-repeat", options.no_repeat, 0, most_length);
  check_range("alignment-layer", options.alignment_layer, 0, most_layers);
  if (options.sampling.on && options.alternatives) {
    throw Error("alternatives and sampling do not go together; choose one of them");
  }
  if (!std::isfinite(options.sampling.temperature) || !(options.sampling.temperature > 0.0f)) {
    throw Error(fmt::format("temperature is {}; choose a number above 0", options.sampling.temperature));
  }
  if (!(options.sampling.top_p > 0.0f && options.sampling.top_p <= 1.0f)) {
    throw Error(fmt::format("top-p is {}; choose above 0 and at most 1", options.sampling.top_p));
  }
  if (options.sampling.top_k < 0) throw Error(fmt::format("top-k is {}; choose 0 or more", options.sampling.top_k));
}

}  // namespace heed
