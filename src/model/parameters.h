// Every tensor of the model, named once.
//
// Parameters, gradients and moments are flat buffers of one layout. bind_parameters walks over the tensors in the order
// of that layout; the views, the list of names, the initial values and whatever else goes tensor by tensor come from
// it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layers/attention.h"
#include "layers/feed_forward.h"
#include "layers/layer_norm.h"
#include "model/config.h"

namespace heed {

struct EncoderLayer {
  AttentionWeights self_attention;
  LayerNorm self_attention_norm;
  FeedForwardWeights feed_forward;
  LayerNorm feed_forward_norm;
};

struct DecoderLayer {
  AttentionWeights self_attention;
  LayerNorm self_attention_norm;
  AttentionWeights encoder_attention;
  LayerNorm encoder_attention_norm;
  FeedForwardWeights feed_forward;
  LayerNorm feed_forward_norm;
};

struct Parameters {
  EmbeddingWeights source;
  EmbeddingWeights target;
  Linear output;  // the pre-softmax projection
  std::vector<EncoderLayer> encoder;
  std::vector<DecoderLayer> decoder;
  LayerNorm encoder_norm;  // after the last layer of a stack; only with Norm::before
  LayerNorm decoder_norm;
};

// halved: with half of Glorot's variance (docs/decisions/0010).
enum class Initial { glorot_uniform, halved_glorot_uniform, embedding_normal, zeros, ones };

struct Tensor {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  Index offset = 0;  // in the flat buffer
  Initial initial = Initial::zeros;

  // As files give it: a vector has one dimension.
  std::vector<Index> shape() const { return rows == 1 ? std::vector{cols} : std::vector{rows, cols}; }
};

// Every tensor in the order of the flat buffer; config must have passed check().
std::vector<Tensor> list_tensors(const Config& config);
Index count_parameters(const Config& config);

// Views into a flat buffer of count_parameters() numbers; null gives the shapes alone.
Parameters bind_parameters(const Config& config, float* flat);
// Views of tensors that lie wherever `place` says; null for one that has a shape alone. Tensors that are stacked lie
// one behind the other, or nowhere.
Parameters bind_parameters(const Config& config, const std::function<float*(const Tensor&)>& place);

// Fills the buffer with the values that training starts from: Glorot uniform projections, those of queries, keys and
// values with half the variance where the norm comes after, embeddings with standard deviation d_model^−½, biases 0,
// gains 1. A tensor's values depend on the seed and its own name only.
void initialise(const Config& config, std::uint64_t seed, float* flat);

// A linear layer's name in parts: weights are packed in every update, where nothing may be allocated.
struct LinearName {
  const char* stack;
  std::size_t layer;
  const char* part;

  std::string text() const { return std::string(stack) + "." + std::to_string(layer) + "." + part; }
};

// Calls visit(LinearName, Linear&) for every linear layer of the two stacks, in one fixed order.
template <class Visit>
void for_each_stack_linear(Parameters& p, const Visit& visit) {
  for (std::size_t i = 0; i < p.encoder.size(); ++i) {
    EncoderLayer& layer = p.encoder[i];
    const auto name = [i](const char* part) { return LinearName{"encoder", i, part}; };
    visit(name("self_attention.query"), layer.self_attention.query);
    visit(name("self_attention.output"), layer.self_attention.output);
    visit(name("feed_forward.inner"), layer.feed_forward.inner);
    visit(name("feed_forward.outer"), layer.feed_forward.outer);
  }
  for (std::size_t i = 0; i < p.decoder.size(); ++i) {
    DecoderLayer& layer = p.decoder[i];
    const auto name = [i](const char* part) { return LinearName{"decoder", i, part}; };
    visit(name("self_attention.query"), layer.self_attention.query);
    visit(name("self_attention.output"), layer.self_attention.output);
    visit(name("encoder_attention.query"), layer.encoder_attention.query);
    visit(name("encoder_attention.memory"), layer.encoder_attention.memory);
    visit(name("encoder_attention.output"), layer.encoder_attention.output);
    visit(name("feed_forward.inner"), layer.feed_forward.inner);
    visit(name("feed_forward.outer"), layer.feed_forward.outer);
  }
}

// Likewise, and the output projection.
template <class Visit>
void for_each_linear(Parameters& p, const Visit& visit) {
  for_each_stack_linear(p, [&](const LinearName&, Linear& layer) { visit(layer); });
  visit(p.output);
}

}  // namespace heed
