#include "model/int8_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "heed/error.h"
#include "model/binding.h"
#include "model/model_info.h"

namespace heed {
namespace {

constexpr const char* numbers_key = "numbers";
constexpr std::size_t alignment = 64;

// A matrix of weights, and who reads it.
struct WeightMatrix {
  std::string name;
  Matrix<float> weight;
  std::array<kernels::Int8Matrix*, 3> users{};

  void set(const kernels::Int8Matrix& matrix) const {
    for (kernels::Int8Matrix* user : users) {
      if (user != nullptr) *user = matrix;
    }
  }
  const kernels::Int8Matrix& int8() const {
    return **std::find_if(users.begin(), users.end(), [](const auto* user) { return user != nullptr; });
  }
};

// Collects the matrices that become integers; stacked projections are one matrix, under one name.
class CollectMatrices {
 public:
  void linear(const Path& at, Linear& layer, const LinearParts& l) {
    all.push_back({at.text() + "." + l.name(), layer.weight, {&layer.int8}});
  }
  void embedding(const char* name, Index, Index, Initial, const EmbeddingUsers& users) {
    WeightMatrix matrix{name, {}, {}};
    std::size_t count = 0;
    if (users.output != nullptr) {
      matrix.weight = users.output->weight;
      matrix.users[count++] = &users.output->int8;
    }
    for (EmbeddingWeights* table : users.tables) {
      if (table == nullptr) continue;
      matrix.weight = table->tokens;
      matrix.users[count++] = &table->int8;
    }
    all.push_back(std::move(matrix));
  }
  void vector(const Path&, const char*, Matrix<float>&, Index, Index, Initial) {}
  void table(const char*, Matrix<float>&, Index, Index) {}

  std::vector<WeightMatrix> all;
};

std::vector<WeightMatrix> weight_matrices(const Config& config, Parameters& p) {
  CollectMatrices matrices;
  visit(p, config, matrices);
  return std::move(matrices.all);
}

// Points vectors and tables of positions, which stay f32, at consecutive places.
class BindVectors {
 public:
  explicit BindVectors(float* next) : next_(next) {}

  void linear(const Path&, Linear& layer, const LinearParts& l) {
    Index rows = 0;
    for (const auto& part : l.parts) rows += part.rows;
    layer.weight = Matrix<float>(nullptr, rows, l.inputs);
    if (l.bias) take(layer.bias, 1, rows);
  }
  void embedding(const char*, Index rows, Index cols, Initial, const EmbeddingUsers& users) {
    const Matrix<float> shape(nullptr, rows, cols);
    for (EmbeddingWeights* table : users.tables) {
      if (table != nullptr) table->tokens = shape;
    }
    if (users.output != nullptr) users.output->weight = shape;
  }
  void vector(const Path&, const char*, Matrix<float>& view, Index rows, Index cols, Initial) {
    take(view, rows, cols);
  }
  void table(const char*, Matrix<float>& view, Index rows, Index cols) { take(view, rows, cols); }

 private:
  void take(Matrix<float>& view, Index rows, Index cols) {
    view = Matrix<float>(next_, rows, cols);
    next_ += rows * cols;
  }

  float* next_;
};

bool stays_f32(const Tensor& tensor) { return tensor.role == Role::vector || tensor.role == Role::table; }

// Parameters whose matrices are shapes, and room for what stays f32.
Int8Weights make_room(const Config& config) {
  Index count = 0;
  for (const Tensor& tensor : list_tensors(config)) {
    if (stays_f32(tensor)) count += tensor.size();
  }
  Int8Weights weights;
  weights.vectors = Pages(static_cast<std::size_t>(count) * sizeof(float));
  weights.parameters = make_parameters(config);
  visit(weights.parameters, config, BindVectors(weights.vectors.floats()));
  return weights;
}

// Calls visit(tensor, numbers) for everything that stays f32.
template <class Visit>
void for_each_vector(const Config& config, const Int8Weights& weights, const Visit& visit) {
  float* next = weights.vectors.floats();
  for (const Tensor& tensor : list_tensors(config)) {
    if (!stays_f32(tensor)) continue;
    const auto count = static_cast<std::size_t>(tensor.size());
    visit(tensor, std::span<float>(next, count));
    next += count;
  }
}

// Channels in whole panels.
Index padded(Index rows) { return round_up(rows, kernels::int8_panel_channels); }

std::vector<Index> panels_shape(const Matrix<float>& weight) {
  return {divide_up(weight.rows, kernels::int8_panel_channels), divide_up(weight.cols, kernels::int8_group_inputs),
          kernels::int8_panel_channels, kernels::int8_group_inputs};
}

void check_depth(const WeightMatrix& matrix) {
  if (matrix.weight.cols > kernels::int8_most_depth) {
    throw Error(fmt::format("'{}' has {} inputs; 8-bit products take at most {}: use --type f32", matrix.name,
                            matrix.weight.cols, kernels::int8_most_depth));
  }
}

void check_finite(const WeightMatrix& matrix) {
  for (Index row = 0; row < matrix.weight.rows; ++row) {
    for (const float value : matrix.weight.row_span(row)) {
      if (!std::isfinite(value)) {
        throw Error(fmt::format("'{}' holds NaN or infinity; use another checkpoint", matrix.name));
      }
    }
  }
}

// Takes pieces of a buffer one after the other, each aligned.
class Carver {
 public:
  explicit Carver(std::byte* data) : next_(data) {}
  template <class T>
  T* take(Index count) {
    auto* piece = reinterpret_cast<T*>(next_);
    next_ += (static_cast<std::size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    return piece;
  }

 private:
  std::byte* next_;
};

std::size_t panels_bytes(const std::vector<WeightMatrix>& matrices) {
  std::size_t bytes = 0;
  for (const WeightMatrix& matrix : matrices) {
    const Index rows = padded(matrix.weight.rows);
    bytes += static_cast<std::size_t>(kernels::int8_panels_size(rows, matrix.weight.cols) + 8 * rows);
  }
  return bytes;
}

// Room for the integers of a matrix.
struct Int8Room {
  std::int8_t* panels;
  std::int32_t* sums;
  float* scales;

  Int8Room(const Matrix<const float>& weight, Carver& room)
      : panels(room.take<std::int8_t>(kernels::int8_panels_size(weight.rows, weight.cols))),
        sums(room.take<std::int32_t>(padded(weight.rows))),
        scales(room.take<float>(padded(weight.rows))) {}
};

kernels::Int8Matrix quantize_matrix(Matrix<const float> weight, Carver& carver) {
  const Int8Room room(weight, carver);
  for (Index row = 0; row < weight.rows; row += kernels::int8_panel_channels) {
    const Index count = std::min(kernels::int8_panel_channels, weight.rows - row);
    kernels::quantize_panel(weight.rows_from(row, count),
                            room.panels + row / kernels::int8_panel_channels * kernels::int8_panel_size(weight.cols),
                            room.sums + row, room.scales + row);
  }
  return {room.panels, room.sums, room.scales, weight.rows, weight.cols};
}

// The place of a channel's input in the panels.
Index panel_place(Index channel, Index input, Index cols) {
  constexpr Index channels = kernels::int8_panel_channels, inputs = kernels::int8_group_inputs;
  return channel / channels * kernels::int8_panel_size(cols) + input / inputs * channels * inputs +
         channel % channels * inputs + input % inputs;
}

kernels::Int8Matrix take_matrix(Matrix<const float> shape, const std::int8_t* integers, const float* scales,
                                Carver& carver) {
  const Int8Room room(shape, carver);
  std::fill_n(room.panels, kernels::int8_panels_size(shape.rows, shape.cols), std::int8_t{0});
  std::fill_n(room.sums, padded(shape.rows), 0);
  std::fill_n(room.scales, padded(shape.rows), 0.0f);
  for (Index channel = 0; channel < shape.rows; ++channel) {
    for (Index input = 0; input < shape.cols; ++input) {
      const std::int8_t integer = integers[channel * shape.cols + input];
      room.panels[panel_place(channel, input, shape.cols)] = integer;
      room.sums[channel] += integer;
    }
    room.scales[channel] = scales[channel];
  }
  return {room.panels, room.sums, room.scales, shape.rows, shape.cols};
}

// Makes the integers of every matrix with make(matrix, carver) and copies what stays f32.
template <class Make>
Int8Weights make_weights(const Config& config, std::span<float> flat, const Make& make) {
  Parameters parameters = bind_parameters(config, flat.data());
  Int8Weights weights = make_room(config);
  const std::vector<WeightMatrix> from = weight_matrices(config, parameters);
  const std::vector<WeightMatrix> to = weight_matrices(config, weights.parameters);
  weights.panels = Pages(panels_bytes(from));
  Carver carver(weights.panels.data());
  for (std::size_t i = 0; i < from.size(); ++i) {
    check_depth(from[i]);
    to[i].set(make(from[i], carver));
  }
  for_each_vector(config, weights, [&](const Tensor& tensor, std::span<float> values) {
    std::copy_n(flat.begin() + tensor.offset, values.size(), values.begin());
  });
  return weights;
}

[[noreturn]] void damaged(const Safetensors& file, const std::string& tensor, const char* what) {
  throw Error(
      fmt::format("'{}': tensor '{}' is damaged: {}; make the 8-bit model again", file.path().string(), tensor, what));
}

// Values that quantisation never produces would overflow in the product, or make every result NaN.
void check_channels(const Safetensors& file, const WeightMatrix& matrix, const kernels::Int8Matrix& int8) {
  const Index largest_sum = 127 * int8.cols;
  for (Index channel = 0; channel < padded(int8.rows); ++channel) {
    if (!std::isfinite(int8.scales[channel])) damaged(file, matrix.name, "a scale is NaN or infinite");
    if (std::abs(Index{int8.sums[channel]}) > largest_sum) damaged(file, matrix.name, "a sum is too large");
  }
}

// Only some instruction sets use the sums: wrong ones would make translations differ from machine to machine.
void check_sums(const Safetensors& file, const WeightMatrix& matrix, const kernels::Int8Matrix& int8) {
  const Index panel_size = kernels::int8_panel_size(int8.cols);
  for (Index panel = 0; panel < int8.panel_count(); ++panel) {
    std::int32_t sums[kernels::int8_panel_channels] = {};
    for (Index i = 0; i < panel_size; ++i) {
      sums[i / kernels::int8_group_inputs % kernels::int8_panel_channels] += int8.panels[panel * panel_size + i];
    }
    if (!std::equal(std::begin(sums), std::end(sums), int8.sums + panel * kernels::int8_panel_channels)) {
      damaged(file, matrix.name, "its sums are not those of its weights");
    }
  }
}

template <class T>
NamedTensor named(const std::string& name, std::vector<Index> shape, StoredType type, const T* data) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return {name, std::move(shape), type, std::as_bytes(std::span(data, static_cast<std::size_t>(count)))};
}

}  // namespace

Int8Weights quantize(const Config& config, std::span<float> flat) {
  return make_weights(config, flat, [](const WeightMatrix& matrix, Carver& carver) {
    check_finite(matrix);
    return quantize_matrix(matrix.weight, carver);
  });
}

Int8Weights take_integers(const Config& config, std::span<float> flat, const Int8Integers& integers) {
  const float* scales = integers.scales.data();
  return make_weights(config, flat, [&](const WeightMatrix& matrix, Carver& carver) {
    const std::int8_t* values = integers.values.data() + (matrix.weight.data - flat.data());
    const float* of_matrix = std::exchange(scales, scales + matrix.weight.rows);
    return take_matrix(matrix.weight, values, of_matrix, carver);
  });
}

Int8Integers give_integers(const Config& config, const Int8Weights& weights, std::span<float> flat) {
  Parameters places = bind_parameters(config, flat.data());
  Parameters parameters = weights.parameters;
  const std::vector<WeightMatrix> from = weight_matrices(config, parameters);
  const std::vector<WeightMatrix> to = weight_matrices(config, places);
  Int8Integers integers;
  integers.values.assign(flat.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const kernels::Int8Matrix& matrix = from[i].int8();
    std::int8_t* values = integers.values.data() + (to[i].weight.data - flat.data());
    for (Index channel = 0; channel < matrix.rows; ++channel) {
      for (Index input = 0; input < matrix.cols; ++input) {
        values[channel * matrix.cols + input] = matrix.panels[panel_place(channel, input, matrix.cols)];
      }
      integers.scales.push_back(matrix.scales[channel]);
    }
  }
  for_each_vector(config, weights, [&](const Tensor& tensor, std::span<float> values) {
    std::copy(values.begin(), values.end(), flat.begin() + tensor.offset);
  });
  return integers;
}

// Matrices first: their sizes are multiples of 64 bytes, so all of them are aligned.
void write_int8_weights(const std::filesystem::path& file, const Config& config, Int8Weights& weights,
                        const WeightFacts& facts) {
  std::vector<NamedTensor> tensors;
  for (const WeightMatrix& matrix : weight_matrices(config, weights.parameters)) {
    const kernels::Int8Matrix& int8 = matrix.int8();
    const std::vector<Index> channels{padded(int8.rows)};
    tensors.push_back(named(matrix.name + ".panels", panels_shape(matrix.weight), StoredType::int8, int8.panels));
    tensors.push_back(named(matrix.name + ".sums", channels, StoredType::int32, int8.sums));
    tensors.push_back(named(matrix.name + ".scales", channels, StoredType::f32, int8.scales));
  }
  for_each_vector(config, weights, [&](const Tensor& tensor, std::span<float> values) {
    tensors.push_back(named(tensor.name, tensor.shape(), StoredType::f32, values.data()));
  });
  Metadata metadata = facts;
  metadata.merge(Metadata{{"format", file_format}, {numbers_key, "int8"}});
  metadata[shape_key] = shape_text(config);
  write_safetensors(file, tensors, metadata);
}

Int8Weights read_int8_weights(Safetensors file, const Config& config, Verify verify) {
  Int8Weights weights = make_room(config);
  weights.file.emplace(std::move(file));
  const Safetensors& stored = *weights.file;
  if (verify == Verify::checksum) stored.verify();
  check_shape(stored, shape_text(config));
  std::set<std::string> known;
  for (const WeightMatrix& matrix : weight_matrices(config, weights.parameters)) {
    check_depth(matrix);
    const std::vector<Index> channels{padded(matrix.weight.rows)};
    const auto panels =
        stored.get(matrix.name + ".panels", panels_shape(matrix.weight), StoredType::int8).as<std::int8_t>();
    const auto sums = stored.get(matrix.name + ".sums", channels, StoredType::int32).as<std::int32_t>();
    const auto scales = stored.get(matrix.name + ".scales", channels, StoredType::f32).as<float>();
    const kernels::Int8Matrix int8{panels.data(), sums.data(), scales.data(), matrix.weight.rows, matrix.weight.cols};
    check_channels(stored, matrix, int8);
    if (verify == Verify::checksum) check_sums(stored, matrix, int8);
    matrix.set(int8);
    for (const char* part : {".panels", ".sums", ".scales"}) known.insert(matrix.name + part);
  }
  for_each_vector(config, weights, [&](const Tensor& tensor, std::span<float> values) {
    known.insert(tensor.name);
    const auto from = stored.get(tensor.name, tensor.shape(), StoredType::f32).as<float>();
    if (!std::all_of(from.begin(), from.end(), [](float value) { return std::isfinite(value); })) {
      damaged(stored, tensor.name, "it holds NaN or infinity");
    }
    std::copy(from.begin(), from.end(), values.begin());
  });
  for (const NamedTensor& found : stored.tensors()) {
    if (!known.contains(found.name)) stored.surplus(found.name);
  }
  return weights;
}

bool holds_int8(const Safetensors& file) {
  const auto found = file.metadata().find(numbers_key);
  return found != file.metadata().end() && found->second == "int8";
}

}  // namespace heed
