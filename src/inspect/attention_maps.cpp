#include "inspect/attention_maps.h"

#include <fmt/format.h>

#include <cmath>

#include "base/enum_names.h"
#include "layers/mixers/attention.h"

namespace heed {
namespace {

// The numbers of all heads of a layer, and who sees whom.
struct LayerAttention {
  AttentionShape shape;
  Projections<const float> projections;
  kernels::Reach reach;
};

bool has_attention(const Mixer& mixer) { return mixer_tensors(mixer.shape).attends; }

LayerAttention self_attention(const Layer& layer, const LayerTrace& trace) {
  return {layer.mixer.shape.heads, split_projections<const float>(trace.mixer.projected, layer.mixer.shape.heads),
          reach_of(layer.mixer.shape)};
}

LayerAttention cross_attention(const Layer& layer, const LayerTrace& trace) {
  const AttentionShape& shape = layer.memory.shape;
  const Matrix<const float> projected = trace.memory.projected;
  return {shape,
          {trace.memory.query, projected.cols_from(0, shape.key_width()),
           projected.cols_from(shape.key_width(), shape.value_width())},
          kernels::Reach()};
}

bool sees(const kernels::Reach& reach, Index query, Index key) {
  if (reach.ahead == 0 && key > query) return false;
  if (key < reach.globals || query < reach.globals) return true;
  return (key <= query || key - query <= reach.ahead) && (key >= query || query - key <= reach.back);
}

// softmax(q Kᵀ / √d_k) of one query, in doubles: the row is right to the last digit of a float.
void softmax_row(const LayerAttention& layer, Index head, Index query, std::span<float> row) {
  const Index d_k = layer.shape.d_k;
  const float* q = layer.projections.query.row(query) + head * d_k;
  std::vector<double> scores(row.size(), -INFINITY);
  double most = -INFINITY;
  for (std::size_t key = 0; key < row.size(); ++key) {
    if (!sees(layer.reach, query, static_cast<Index>(key))) continue;
    const float* k = layer.projections.key.row(static_cast<Index>(key)) + head * d_k;
    double dot = 0.0;
    for (Index i = 0; i < d_k; ++i) dot += static_cast<double>(q[i]) * static_cast<double>(k[i]);
    scores[key] = dot / std::sqrt(static_cast<double>(d_k));
    most = std::max(most, scores[key]);
  }
  double sum = 0.0;
  for (double& score : scores) sum += score = std::exp(score - most);
  for (std::size_t key = 0; key < row.size(); ++key) row[key] = static_cast<float>(scores[key] / sum);
}

AttentionMaps maps_of(const LayerAttention& layer) {
  AttentionMaps maps;
  maps.heads = static_cast<int>(layer.shape.heads);
  maps.queries = static_cast<int>(layer.projections.query.rows);
  maps.keys = static_cast<int>(layer.projections.key.rows);
  const auto keys = static_cast<std::size_t>(maps.keys);
  maps.weights.resize(static_cast<std::size_t>(maps.heads) * static_cast<std::size_t>(maps.queries) * keys);
  float* row = maps.weights.data();
  for (Index head = 0; head < layer.shape.heads; ++head) {
    for (Index query = 0; query < maps.queries; ++query, row += keys) softmax_row(layer, head, query, {row, keys});
  }
  return maps;
}

std::vector<float> columns(Matrix<const float> m, Index first, Index count) {
  std::vector<float> numbers;
  for (Index row = 0; row < m.rows; ++row)
    numbers.insert(numbers.end(), m.row(row) + first, m.row(row) + first + count);
  return numbers;
}

}  // namespace

AllMaps attention_maps(const Parameters& parameters, const HalfTrace& encoder, const HalfTrace& decoder) {
  AllMaps maps;
  for (std::size_t i = 0; i < parameters.encoder.layers.size(); ++i) {
    const Layer& layer = parameters.encoder.layers[i];
    maps.encoder.push_back(has_attention(layer.mixer) ? maps_of(self_attention(layer, encoder.stack.layers[i]))
                                                      : AttentionMaps());
  }
  for (std::size_t i = 0; i < parameters.decoder.layers.size(); ++i) {
    const Layer& layer = parameters.decoder.layers[i];
    maps.decoder.push_back(has_attention(layer.mixer) ? maps_of(self_attention(layer, decoder.stack.layers[i]))
                                                      : AttentionMaps());
    maps.cross.push_back(maps_of(cross_attention(layer, decoder.stack.layers[i])));
  }
  return maps;
}

std::vector<HeadPlace> all_heads(const Parameters& parameters) {
  std::vector<HeadPlace> places;
  const auto add = [&](AttentionPart part, std::size_t layer, Index heads) {
    for (Index head = 0; head < heads; ++head)
      places.push_back({part, static_cast<int>(layer), static_cast<int>(head)});
  };
  const auto own_heads = [](const Layer& layer) {
    return has_attention(layer.mixer) ? layer.mixer.shape.heads.heads : 0;
  };
  const auto& encoder = parameters.encoder.layers;
  const auto& decoder = parameters.decoder.layers;
  for (std::size_t i = 0; i < encoder.size(); ++i) add(AttentionPart::encoder, i, own_heads(encoder[i]));
  for (std::size_t i = 0; i < decoder.size(); ++i) add(AttentionPart::decoder, i, own_heads(decoder[i]));
  for (std::size_t i = 0; i < decoder.size(); ++i) add(AttentionPart::cross, i, decoder[i].memory.shape.heads);
  return places;
}

HeadNumbers head_numbers(const Parameters& parameters, const HalfTrace& encoder, const HalfTrace& decoder,
                         const HeadPlace& place) {
  const std::vector<HeadPlace> all = all_heads(parameters);
  if (std::find(all.begin(), all.end(), place) == all.end()) {
    throw Error(fmt::format("the model has no {}; 'heed model describe' lists its layers", describe(place)));
  }
  const auto i = static_cast<std::size_t>(place.layer);
  const bool in_encoder = place.part == AttentionPart::encoder;
  const Layer& layer = (in_encoder ? parameters.encoder : parameters.decoder).layers[i];
  const LayerTrace& trace = (in_encoder ? encoder : decoder).stack.layers[i];
  const LayerAttention attention =
      place.part == AttentionPart::cross ? cross_attention(layer, trace) : self_attention(layer, trace);
  const Index d_k = attention.shape.d_k;
  const Index d_v = attention.shape.d_v;
  return {place,
          static_cast<int>(d_k),
          static_cast<int>(d_v),
          columns(attention.projections.query, place.head * d_k, d_k),
          columns(attention.projections.key, place.head * d_k, d_k),
          columns(attention.projections.value, place.head * d_v, d_v)};
}

std::string describe(const HeadPlace& place) {
  const char* where = place.part == AttentionPart::encoder   ? "in the encoder"
                      : place.part == AttentionPart::decoder ? "in the decoder"
                                                             : "of cross-attention";
  return fmt::format("head {} in layer {} {}", place.head + 1, place.layer + 1, where);
}

}  // namespace heed
