#include "layers/dropout.h"

#include <cmath>

#include "base/random.h"

namespace heed {

kernels::DropoutRate Dropout::kernel_rate() const {
  const auto threshold = static_cast<std::uint32_t>(std::lround(static_cast<double>(rate) * 65536.0));
  return {threshold, static_cast<float>(65536.0 / (65536.0 - threshold))};
}

std::span<const std::uint64_t> dropout_keys(const Dropout& dropout, int site, std::span<const Index> offsets,
                                            Arena& arena) {
  if (dropout.kernel_rate().threshold == 0) return {};
  const std::span<std::uint64_t> keys = arena.array<std::uint64_t>(offsets.back());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::uint64_t sentence =
        random_key(dropout.update_key, static_cast<std::uint64_t>(dropout.first_sentence) + s);
    const std::uint64_t here = random_key(sentence, static_cast<std::uint64_t>(site));
    for (Index row = offsets[s]; row < offsets[s + 1]; ++row) {
      keys[static_cast<std::size_t>(row)] = random_key(here, static_cast<std::uint64_t>(row - offsets[s]));
    }
  }
  return keys;
}

}  // namespace heed
