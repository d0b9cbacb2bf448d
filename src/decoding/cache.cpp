#include "decoding/cache.h"

#include <algorithm>

namespace heed {

kernels::CacheShape cache_shape(const Transformer& model) {
  const AttentionShape shape = model.config().attention_shape();
  const bool int8 = model.parameters().output.int8.panels != nullptr;
  return {shape.heads, shape.d_k, shape.d_v, int8 ? kernels::CacheType::int8 : kernels::CacheType::f32};
}

Index cache_row_bytes(const Transformer& model) {
  return model.config().decoder_layers * kernels::cache_row_bytes(cache_shape(model));
}

Cache::Cache(const Transformer& model, Index past_rows, Index memory_rows, Arena& arena)
    : shape(cache_shape(model)), layers(arena.array<LayerCache>(model.config().decoder_layers)) {
  const Index bytes = cache_row_bytes(model);
  const auto rows_of = [&](Index rows) {
    return Matrix<std::byte>(arena.array<std::byte>(rows * bytes).data(), rows, bytes);
  };
  const LayerCache all{rows_of(past_rows), rows_of(memory_rows)};
  const Index each = kernels::cache_row_bytes(shape);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Index first = static_cast<Index>(i) * each;
    layers[i] = {all.past.cols_from(first, each), all.memory.cols_from(first, each)};
  }
}

void store_memory(const Transformer& model, Matrix<const float> memory, std::span<const std::int32_t> to,
                  const Cache& cache, const Workspace& workspace) {
  for (std::size_t i = 0; i < cache.layers.size(); ++i) {
    const Arena::Scope scope(workspace.arena);
    const Matrix<float> projected = workspace.arena.matrix(memory.rows, cache.shape.numbers());
    linear(memory, model.parameters().decoder[i].encoder_attention.memory, projected, workspace);
    for_row_blocks(workspace, memory.rows, [&](Index first, Index count) noexcept {
      for (Index row = first; row < first + count; ++row) {
        kernels::store_cached(cache.shape, projected.row(row),
                              cache.layers[i].memory.row(to[static_cast<std::size_t>(row)]));
      }
    });
  }
}

}  // namespace heed
