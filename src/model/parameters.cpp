#include "model/parameters.h"

#include <cmath>

#include "base/random.h"

namespace heed {
namespace {

// Gives out the tensors one after the other. `Bind` maps (name, rows, cols, initial) to a view.
template <class Bind>
class Binder {
 public:
  Binder(const Config& config, const Bind& bind) : c_(config), shape_(config.attention_shape()), bind_(bind) {}

  Parameters parameters() {
    Parameters p;
    embeddings(p);
    for (Index i = 0; i < c_.encoder_layers; ++i)
      p.encoder.push_back(encoder_layer("encoder." + std::to_string(i) + "."));
    if (c_.norm == Norm::before) p.encoder_norm = norm("encoder.norm.");
    for (Index i = 0; i < c_.decoder_layers; ++i)
      p.decoder.push_back(decoder_layer("decoder." + std::to_string(i) + "."));
    if (c_.norm == Norm::before) p.decoder_norm = norm("decoder.norm.");
    return p;
  }

 private:
  void embeddings(Parameters& p) {
    const auto table = [&](const char* name, Index rows) {
      return bind_(name, rows, c_.d_model, Initial::embedding_normal);
    };
    switch (c_.tie) {
      case Tie::all:
        p.source.tokens = p.target.tokens = p.output.weight = table("embedding.weight", c_.source_vocab);
        break;
      case Tie::target:
        p.source.tokens = table("source_embedding.weight", c_.source_vocab);
        p.target.tokens = p.output.weight = table("target_embedding.weight", c_.target_vocab);
        break;
      case Tie::none:
        p.source.tokens = table("source_embedding.weight", c_.source_vocab);
        p.target.tokens = table("target_embedding.weight", c_.target_vocab);
        p.output.weight = bind_("output.weight", c_.target_vocab, c_.d_model, Initial::glorot_uniform);
        break;
    }
    if (c_.output_bias) p.output.bias = bind_("output.bias", 1, c_.target_vocab, Initial::zeros);
    if (c_.positions == Positions::learned) {
      p.source.positions = table("source_positions.weight", c_.max_positions);
      p.target.positions = table("target_positions.weight", c_.max_positions);
    }
  }

  struct Part {
    const char* name;
    Index out;
  };

  // Projections of one input, stacked: their weights lie one below the other, so that one product computes them all.
  Linear stacked(const std::string& prefix, std::initializer_list<Part> parts, Index in, bool bias,
                 Initial initial = Initial::glorot_uniform) {
    Linear layer;
    for (const Part& part : parts) {
      stack(layer.weight, bind_(prefix + part.name + ".weight", part.out, in, initial));
    }
    if (!bias) return layer;
    for (const Part& part : parts) {
      const Matrix<float> b = bind_(prefix + part.name + ".bias", 1, part.out, Initial::zeros);
      layer.bias = layer.bias.cols == 0 ? b : Matrix<float>(layer.bias.data, 1, layer.bias.cols + b.cols);
    }
    return layer;
  }

  static void stack(Matrix<float>& all, Matrix<float> next) {
    assert(all.rows == 0 || all.data == nullptr || all.data + all.rows * all.cols == next.data);
    all = all.rows == 0 ? next : Matrix<float>(all.data, all.rows + next.rows, all.cols);
  }

  // Of queries, keys and values.
  Initial attention_initial() const {
    return c_.norm == Norm::after ? Initial::halved_glorot_uniform : Initial::glorot_uniform;
  }

  AttentionWeights self_attention(const std::string& prefix) {
    const Index k = shape_.heads * shape_.d_k;
    const Index v = shape_.heads * shape_.d_v;
    AttentionWeights w;
    w.query =
        stacked(prefix, {{"query", k}, {"key", k}, {"value", v}}, c_.d_model, c_.attention_bias, attention_initial());
    w.output = stacked(prefix, {{"output", c_.d_model}}, v, c_.attention_bias);
    return w;
  }

  AttentionWeights encoder_attention(const std::string& prefix) {
    const Index k = shape_.heads * shape_.d_k;
    const Index v = shape_.heads * shape_.d_v;
    AttentionWeights w;
    w.query = stacked(prefix, {{"query", k}}, c_.d_model, c_.attention_bias, attention_initial());
    w.memory = stacked(prefix, {{"key", k}, {"value", v}}, c_.d_model, c_.attention_bias, attention_initial());
    w.output = stacked(prefix, {{"output", c_.d_model}}, v, c_.attention_bias);
    return w;
  }

  FeedForwardWeights feed_forward(const std::string& prefix) {
    FeedForwardWeights w;
    w.inner = stacked(prefix, {{"inner", c_.d_ff}}, c_.d_model, true);
    w.outer = stacked(prefix, {{"outer", c_.d_model}}, c_.d_ff, true);
    return w;
  }

  LayerNorm norm(const std::string& prefix) {
    LayerNorm n;
    n.gain = bind_(prefix + "gain", 1, c_.d_model, Initial::ones);
    n.bias = bind_(prefix + "bias", 1, c_.d_model, Initial::zeros);
    return n;
  }

  EncoderLayer encoder_layer(const std::string& prefix) {
    EncoderLayer layer;
    layer.self_attention = self_attention(prefix + "self_attention.");
    layer.self_attention_norm = norm(prefix + "self_attention.norm.");
    layer.feed_forward = feed_forward(prefix + "feed_forward.");
    layer.feed_forward_norm = norm(prefix + "feed_forward.norm.");
    return layer;
  }

  DecoderLayer decoder_layer(const std::string& prefix) {
    DecoderLayer layer;
    layer.self_attention = self_attention(prefix + "self_attention.");
    layer.self_attention_norm = norm(prefix + "self_attention.norm.");
    layer.encoder_attention = encoder_attention(prefix + "encoder_attention.");
    layer.encoder_attention_norm = norm(prefix + "encoder_attention.norm.");
    layer.feed_forward = feed_forward(prefix + "feed_forward.");
    layer.feed_forward_norm = norm(prefix + "feed_forward.norm.");
    return layer;
  }

  const Config& c_;
  AttentionShape shape_;
  const Bind& bind_;
};

template <class Bind>
Parameters bind_with(const Config& config, const Bind& bind) {
  return Binder<Bind>(config, bind).parameters();
}

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = random_key(hash, static_cast<unsigned char>(c));
  return hash;
}

void fill(const Tensor& tensor, Index d_model, std::uint64_t seed, float* values) {
  const std::uint64_t key = random_key(seed, hash_of(tensor.name));
  const Index count = tensor.rows * tensor.cols;
  const double halved = tensor.initial == Initial::halved_glorot_uniform ? 0.5 : 1.0;
  const double limit = std::sqrt(6.0 * halved / static_cast<double>(tensor.rows + tensor.cols));
  const double deviation = 1.0 / std::sqrt(static_cast<double>(d_model));
  for (Index i = 0; i < count; ++i) {
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

std::vector<Tensor> list_tensors(const Config& config) {
  std::vector<Tensor> tensors;
  Index offset = 0;
  bind_with(config, [&](const std::string& name, Index rows, Index cols, Initial initial) {
    tensors.push_back({name, rows, cols, offset, initial});
    offset += rows * cols;
    return Matrix<float>(nullptr, rows, cols);
  });
  return tensors;
}

Index count_parameters(const Config& config) {
  const std::vector<Tensor> tensors = list_tensors(config);
  return tensors.back().offset + tensors.back().rows * tensors.back().cols;
}

Parameters bind_parameters(const Config& config, float* flat) {
  return bind_parameters(config,
                         [&](const Tensor& tensor) { return flat == nullptr ? nullptr : flat + tensor.offset; });
}

Parameters bind_parameters(const Config& config, const std::function<float*(const Tensor&)>& place) {
  Index offset = 0;
  return bind_with(config, [&](const std::string& name, Index rows, Index cols, Initial initial) {
    const Tensor tensor{name, rows, cols, offset, initial};
    offset += rows * cols;
    return Matrix<float>(place(tensor), rows, cols);
  });
}

void initialise(const Config& config, std::uint64_t seed, float* flat) {
  for (const Tensor& tensor : list_tensors(config)) fill(tensor, config.d_model, seed, flat + tensor.offset);
}

}  // namespace heed
