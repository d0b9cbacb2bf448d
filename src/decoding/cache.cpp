#include "decoding/cache.h"

#include <algorithm>
#include <numeric>

namespace heed {
namespace {

Index key_value_size(const Config& config) {
  const AttentionShape shape = config.attention_shape();
  return shape.heads * (shape.d_k + shape.d_v);
}

}  // namespace

Cache::Cache(const Config& config, Index past_rows, Index memory_rows, Arena& arena)
    : layers(arena.array<LayerCache>(config.decoder_layers)),
      tokens(arena.array<int>(past_rows)),
      memory_numbers(arena.array<std::int32_t>(memory_rows)) {
  for (LayerCache& layer : layers) {
    layer = {arena.matrix(past_rows, key_value_size(config)), arena.matrix(memory_rows, key_value_size(config))};
  }
  std::iota(memory_numbers.begin(), memory_numbers.end(), 0);
}

Index cache_row_size(const Config& config) { return config.decoder_layers * key_value_size(config); }

void store_memory(const Transformer& model, const Memory& memory, std::span<const Index> first_rows, const Cache& cache,
                  const Workspace& workspace) {
  for (std::size_t i = 0; i < cache.layers.size(); ++i) {
    const Arena::Scope scope(workspace.arena);
    const Matrix<float> to = cache.layers[i].memory;
    const Matrix<float> projected = workspace.arena.matrix(memory.rows.rows, to.cols);
    linear(memory.rows, model.parameters().decoder[i].encoder_attention.memory, projected, workspace);
    workspace.threads.run(static_cast<Index>(first_rows.size()), [&](Index sentence, int) noexcept {
      const auto s = static_cast<std::size_t>(sentence);
      for (Index row = memory.offsets[s]; row < memory.offsets[s + 1]; ++row) {
        std::copy_n(projected.row(row), to.cols, to.row(first_rows[s] + row - memory.offsets[s]));
      }
    });
  }
}

}  // namespace heed
