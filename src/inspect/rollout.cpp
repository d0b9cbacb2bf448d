#include "inspect/rollout.h"

#include <algorithm>

namespace heed {
namespace {

// A small matrix of doubles.
struct Shares {
  Shares(int row_count, int column_count)
      : rows(row_count),
        cols(column_count),
        values(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count)) {}

  double& at(int row, int col) {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)];
  }
  double at(int row, int col) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)];
  }

  int rows;
  int cols;
  std::vector<double> values;
};

Shares identity(int size) {
  Shares m(size, size);
  for (int i = 0; i < size; ++i) m.at(i, i) = 1.0;
  return m;
}

Shares mean_of_heads(const AttentionMaps& maps) {
  Shares mean(maps.queries, maps.keys);
  for (int head = 0; head < maps.heads; ++head) {
    for (int i = 0; i < maps.queries; ++i) {
      for (int j = 0; j < maps.keys; ++j) mean.at(i, j) += static_cast<double>(maps.at(head, i, j)) / maps.heads;
    }
  }
  return mean;
}

Shares product(const Shares& a, const Shares& b) {
  Shares c(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < a.cols; ++k) {
      for (int j = 0; j < b.cols; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return c;
}

// ½ x + ½ y
Shares halves(Shares x, const Shares& y) {
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = 0.5 * (x.values[i] + y.values[i]);
  return x;
}

bool lacks_attention(const std::vector<AttentionMaps>& layers) {
  return std::ranges::any_of(layers, [](const AttentionMaps& maps) { return maps.heads == 0; });
}

}  // namespace

std::vector<float> rollout(const AllMaps& maps) {
  if (lacks_attention(maps.encoder) || lacks_attention(maps.decoder)) return {};
  const int sources = maps.cross[0].keys;
  const int targets = maps.cross[0].queries;
  Shares source = identity(sources);
  for (const AttentionMaps& layer : maps.encoder) source = halves(product(mean_of_heads(layer), source), source);
  Shares of_target = identity(targets);
  Shares of_source(targets, sources);
  for (std::size_t i = 0; i < maps.decoder.size(); ++i) {
    const Shares self = mean_of_heads(maps.decoder[i]);
    of_target = halves(product(self, of_target), of_target);
    of_source = halves(product(self, of_source), of_source);
    for (double& share : of_target.values) share *= 0.5;
    of_source = halves(product(mean_of_heads(maps.cross[i]), source), of_source);
  }
  std::vector<float> all;
  for (int i = 0; i < targets; ++i) {
    for (int j = 0; j < targets; ++j) all.push_back(static_cast<float>(of_target.at(i, j)));
    for (int j = 0; j < sources; ++j) all.push_back(static_cast<float>(of_source.at(i, j)));
  }
  return all;
}

}  // namespace heed
