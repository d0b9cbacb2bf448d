#include "model/parameters.h"

#include <cmath>

#include "base/random.h"
#include "model/binding.h"

namespace heed {
namespace {

// Lists every tensor.
class ListTensors {
 public:
  explicit ListTensors(Layout& layout) : layout_(layout) {}

  void linear(const Path& at, Linear&, const LinearParts& l) {
    const std::string prefix = at.text() + ".";
    for (const auto& part : l.parts) add(prefix + part.name + ".weight", part.rows, l.inputs, l.initial, Role::matrix);
    if (!l.bias) return;
    for (const auto& part : l.parts) add(prefix + part.name + ".bias", 1, part.rows, Initial::zeros, Role::vector);
  }
  void vector(const Path& at, const char* name, Matrix<float>&, Index rows, Index cols, Initial initial) {
    add(at.text() + "." + name, rows, cols, initial, Role::vector);
  }
  void embedding(const char* name, Index rows, Index cols, Initial initial, const EmbeddingUsers& users) {
    const bool looked_up = users.tables[0] != nullptr;
    add(std::string(name) + ".weight", rows, cols, initial, looked_up ? Role::embedding : Role::matrix);
  }
  void table(const char* name, Matrix<float>&, Index rows, Index cols) {
    add(std::string(name) + ".weight", rows, cols, Initial::embedding_normal, Role::table);
  }

 private:
  void add(std::string name, Index rows, Index cols, Initial initial, Role role) {
    layout_.tensors.push_back({std::move(name), rows, cols, layout_.size, initial, role});
    layout_.size += rows * cols;
  }

  Layout& layout_;
};

// Points every view at its place in a flat buffer.
class BindViews {
 public:
  explicit BindViews(float* flat) : flat_(flat) {}

  void linear(const Path&, Linear& layer, const LinearParts& l) {
    Index rows = 0;
    for (const auto& part : l.parts) rows += part.rows;
    layer.weight = take(rows, l.inputs);
    if (l.bias) layer.bias = take(1, rows);
  }
  void vector(const Path&, const char*, Matrix<float>& view, Index rows, Index cols, Initial) {
    view = take(rows, cols);
  }
  void embedding(const char*, Index rows, Index cols, Initial, const EmbeddingUsers& users) {
    const Matrix<float> view = take(rows, cols);
    for (EmbeddingWeights* user : users.tables) {
      if (user != nullptr) user->tokens = view;
    }
    if (users.output != nullptr) users.output->weight = view;
  }
  void table(const char*, Matrix<float>& view, Index rows, Index cols) { view = take(rows, cols); }

 private:
  Matrix<float> take(Index rows, Index cols) {
    const Matrix<float> view(flat_, rows, cols);
    if (flat_ != nullptr) flat_ += rows * cols;
    return view;
  }

  float* flat_;
};

EmbeddingWeights make_embedding(const Config& c) {
  EmbeddingWeights e;
  e.kind = c.positions;
  e.position_start = c.position_start;
  e.scale = c.embedding_scale == EmbeddingScale::root ? std::sqrt(static_cast<float>(c.d_model)) : 1.0f;
  e.norm.epsilon = c.layer_norm_epsilon;
  return e;
}

Stack make_stack(const Config& c, Index layers, Sight sight) {
  Layer layer;
  layer.norm = c.norm;
  layer.mixer_norm.epsilon = layer.memory_norm.epsilon = layer.feed_forward_norm.epsilon = c.layer_norm_epsilon;
  if (sight == Sight::past) layer.memory.shape = c.attention_shape();
  layer.feed_forward.activation = c.activation;
  Stack stack;
  for (Index i = 0; i < layers; ++i) {
    layer.mixer.shape = c.mixer_shape(sight, i);
    stack.layers.push_back(layer);
  }
  stack.norm.epsilon = c.layer_norm_epsilon;
  return stack;
}

std::uint64_t key_of(std::string_view name) {
  std::uint64_t key = 0;
  for (const char c : name) key = random_key(key, static_cast<unsigned char>(c));
  return key;
}

void fill(const Tensor& tensor, std::uint64_t seed, float* values) {
  const std::uint64_t key = random_key(seed, key_of(tensor.name));
  const double halved = tensor.initial == Initial::halved_glorot_uniform ? 0.5 : 1.0;
  const double limit = std::sqrt(6.0 * halved / static_cast<double>(tensor.rows + tensor.cols));
  const double deviation = 1.0 / std::sqrt(static_cast<double>(tensor.cols));
  for (Index i = 0; i < tensor.size(); ++i) {
    const auto counter = static_cast<std::uint64_t>(i);
    switch (tensor.initial) {
      case Initial::glorot_uniform:
      case Initial::halved_glorot_uniform:
        values[i] = static_cast<float>(limit * (2.0 * uniform(key, counter) - 1.0));
        break;
      case Initial::embedding_normal: values[i] = static_cast<float>(deviation * normal(key, counter)); break;
      case Initial::zeros: values[i] = 0.0f; break;
      case Initial::ones: values[i] = 1.0f; break;
    }
  }
}

}  // namespace

Parameters make_parameters(const Config& config) {
  Parameters p;
  p.source = p.target = make_embedding(config);
  p.first_token = config.start == StartFrom::token ? start_token : no_token;
  p.encoder = make_stack(config, config.encoder_layers, Sight::whole);
  p.decoder = make_stack(config, config.decoder_layers, Sight::past);
  return p;
}

Layout layout_of(const Config& config) {
  Layout layout;
  Parameters p = make_parameters(config);
  visit(p, config, ListTensors(layout));
  layout.shape = shape_text(config);
  return layout;
}

std::vector<Tensor> list_tensors(const Config& config) { return layout_of(config).tensors; }

Index count_parameters(const Config& config) { return layout_of(config).size; }

Parameters bind_parameters(const Config& config, float* flat) {
  Parameters p = make_parameters(config);
  visit(p, config, BindViews(flat));
  return p;
}

void initialise(const Layout& layout, std::uint64_t seed, float* flat) {
  for (const Tensor& tensor : layout.tensors) fill(tensor, seed, flat + tensor.offset);
}

}  // namespace heed
