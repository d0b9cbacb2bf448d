#include "decoding/translation_model.h"

#include <algorithm>

namespace heed {
namespace {

// A model in 8-bit integers keeps its KV cache in them, too.
kernels::CacheType cache_type(const Transformer& model) {
  return model.parameters().output.int8.panels != nullptr ? kernels::CacheType::int8 : kernels::CacheType::f32;
}

// What a decoder layer keeps.
struct LayerRows {
  MixerRows mixer;
  Matrix<std::byte> memory;
};

RowBytes row_bytes(const Layer& layer, kernels::CacheType type) {
  const MixerMemory mixer = mixer_memory(layer.mixer.shape, type);
  return {mixer.past, mixer.state, memory_row_bytes(layer.memory, type)};
}

class TranslationSession : public StepSession {
 public:
  TranslationSession(const Transformer& model, const StepLimits& limits, const RowCounts& rows, Index positions,
                     Arena& arena)
      : parameters_(model.parameters()), type_(cache_type(model)), layers_(lay_out(limits.row, rows, arena)) {
    const EmbeddingWeights& target = parameters_.target;
    if (target.kind == Positions::learned) {
      positions_ = target.positions.rows_from(target.position_start, target.positions.rows - target.position_start);
    } else if (target.kind != Positions::none) {
      positions_ = arena.matrix(positions, target.tokens.cols);
    }
  }

  void admit(const Admission& admission, const Workspace& workspace) override {
    const Arena::Scope scope(workspace.arena);
    fill_positions(admission.longest);
    const Matrix<const float> memory =
        encode(parameters_, admission.inputs, {}, workspace, nullptr, admission.silenced);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      store_memory(memory, parameters_.decoder.layers[i].memory, type_, admission.to, layers_[i].memory, workspace);
    }
  }

  Matrix<const float> step(std::span<const StepRow> rows, Wanted wanted, const Workspace& workspace) override {
    Matrix<const float> x = embed(rows, workspace);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Index asking = wanted == Wanted::hidden_and_attention ? static_cast<Index>(i) : -1;
      x = step_layer(x, rows, i, asking, workspace);
    }
    return final_norm(x, parameters_.decoder, workspace, nullptr);
  }

 private:
  // The layers of a row are adjacent, so that few rows in use take few pages.
  std::span<LayerRows> lay_out(const RowBytes& bytes, const RowCounts& rows, Arena& arena) const {
    const auto matrix = [&](Index count, Index width) {
      return Matrix<std::byte>(arena.array<std::byte>(count * width).data(), count, width);
    };
    const std::span<LayerRows> layers = arena.array<LayerRows>(static_cast<Index>(parameters_.decoder.layers.size()));
    const Matrix<std::byte> past = matrix(rows.past, bytes.past);
    const Matrix<std::byte> state = matrix(rows.state, bytes.state);
    const Matrix<std::byte> memory = matrix(rows.memory, bytes.memory);
    RowBytes from{};
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const RowBytes each = row_bytes(parameters_.decoder.layers[i], type_);
      layers[i] = {{type_, past.cols_from(from.past, each.past), state.cols_from(from.state, each.state)},
                   memory.cols_from(from.memory, each.memory)};
      from = {from.past + each.past, from.state + each.state, from.memory + each.memory};
    }
    return layers;
  }

  // Computes the positions up to here that no output has reached before.
  void fill_positions(Index count) {
    const EmbeddingWeights& target = parameters_.target;
    if (target.kind == Positions::learned || target.kind == Positions::none) return;
    for (; filled_ < count; ++filled_) {
      sinusoid(target.kind, target.position_start + filled_, positions_.row_span(filled_));
    }
  }

  Matrix<const float> embed(std::span<const StepRow> rows, const Workspace& workspace) const {
    const EmbeddingWeights& target = parameters_.target;
    const Matrix<float> x = workspace.arena.matrix(static_cast<Index>(rows.size()), target.tokens.cols);
    for_row_blocks(workspace, x.rows, [&](Index first, Index count) noexcept {
      for (Index i = first; i < first + count; ++i) {
        const StepRow& row = rows[static_cast<std::size_t>(i)];
        embed_token(row.token, row.position, target, positions_, x.row_span(i));
      }
    });
    if (!target.norm.gain.empty()) {
      layer_norm(x, target.norm, x, workspace.arena.array<kernels::NormStats>(x.rows), workspace);
    }
    return x;
  }

  Matrix<const float> step_layer(Matrix<const float> x, std::span<const StepRow> rows, std::size_t i, Index asking,
                                 const Workspace& workspace) const {
    const Layer& layer = parameters_.decoder.layers[i];
    LayerRows kept = layers_[i];
    const auto silenced = [&](AttentionPart part) {
      return silenced_in(
          part, static_cast<Index>(i), x.rows,
          [&](Index row) -> const Silenced& { return rows[static_cast<std::size_t>(row)].silenced; }, workspace.arena);
    };
    kept.mixer.silenced = silenced(AttentionPart::decoder);
    const auto add = [&](const LayerNorm& norm, const auto& sublayer) {
      x = residual(x, {norm, layer.norm, {}}, {}, workspace, nullptr, sublayer);
    };
    add(layer.mixer_norm, [&](Matrix<const float> in, Matrix<float> out) {
      mix_step(in, rows, layer.mixer, kept.mixer, out, workspace);
    });
    add(layer.memory_norm, [&](Matrix<const float> in, Matrix<float> out) {
      const CachedHeads heads{cache_shape(layer.memory.shape, type_), rows, &StepRow::memory,
                              silenced(AttentionPart::cross), asking};
      memory_attention_step(in, heads, layer.memory, kept.memory, out, workspace);
    });
    add(layer.feed_forward_norm, [&](Matrix<const float> in, Matrix<float> out) {
      feed_forward(in, layer.feed_forward, out, workspace, nullptr);
    });
    return x;
  }

  const Parameters& parameters_;
  kernels::CacheType type_;
  std::span<LayerRows> layers_;
  Matrix<float> positions_;  // of the output; empty if there are none
  Index filled_ = 0;         // positions that are computed
};

}  // namespace

TranslationModel::TranslationModel(const Transformer& model, const Shortlist* shortlist)
    : model_(model), shortlist_(shortlist) {
  const Config& config = model.config();
  limits_ = {.input_vocabulary = config.source_vocab,
             .vocabulary = config.target_vocab,
             .first_token = model.parameters().first_token,
             .positions = config.most_positions(),
             .attention_layers = config.decoder_layers,
             .heads = config.heads,
             .position_bytes = Arena::row_stride(config.d_model) * static_cast<Index>(sizeof(float))};
  for (const Layer& layer : model.parameters().decoder.layers) {
    const RowBytes each = row_bytes(layer, cache_type(model));
    limits_.row.past += each.past;
    limits_.row.state += each.state;
    limits_.row.memory += each.memory;
  }
}

void TranslationModel::check_input(std::span<const int> input) const {
  const Index offsets[] = {0, static_cast<Index>(input.size())};
  check_source({input, offsets}, model_.config());
}

std::unique_ptr<StepSession> TranslationModel::begin(const RowCounts& rows, Index positions, Arena& arena) const {
  return std::make_unique<TranslationSession>(model_, limits_, rows, positions, arena);
}

}  // namespace heed
