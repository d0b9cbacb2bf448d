// Every tensor of the model, named once.
//
// Parameters, gradients and moments are flat buffers of one layout. bind_parameters walks over the tensors in the order
// of that layout; the views, the list of names, the initial values and whatever else goes tensor by tensor come from
// it.
#pragma once

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

enum class Initial { glorot_uniform, embedding_normal, zeros, ones };

struct Tensor {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  Index offset = 0;  // in the flat buffer
  Initial initial = Initial::zeros;
};

// Every tensor in the order of the flat buffer; config must have passed check().
std::vector<Tensor> list_tensors(const Config& config);
Index count_parameters(const Config& config);

// Views into a flat buffer of count_parameters() numbers; null gives the shapes alone.
Parameters bind_parameters(const Config& config, float* flat);

// Fills the buffer with the values that training starts from: Glorot uniform projections, embeddings with standard
// deviation d_model^−½, biases 0, gains 1. A tensor's values depend on the seed and its own name only.
void initialise(const Config& config, std::uint64_t seed, float* flat);

// Calls visit(Linear&) for every linear layer, in one fixed order.
template <class Visit>
void for_each_linear(Parameters& p, const Visit& visit) {
  for (EncoderLayer& layer : p.encoder) {
    visit(layer.self_attention.query);
    visit(layer.self_attention.output);
    visit(layer.feed_forward.inner);
    visit(layer.feed_forward.outer);
  }
  for (DecoderLayer& layer : p.decoder) {
    visit(layer.self_attention.query);
    visit(layer.self_attention.output);
    visit(layer.encoder_attention.query);
    visit(layer.encoder_attention.memory);
    visit(layer.encoder_attention.output);
    visit(layer.feed_forward.inner);
    visit(layer.feed_forward.outer);
  }
  visit(p.output);
}

}  // namespace heed
