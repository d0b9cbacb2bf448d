// The weights of a Transformer, and the one function that lists them.
//
// visit() walks over every tensor in the order of the layout. Everything that works tensor by tensor or layer by layer
// is a visitor: the layout itself, views into a flat buffer, packing, quantisation, the memory estimate, the floor of
// the benches.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "layers/embedding.h"
#include "layers/feed_forward.h"
#include "layers/layer_norm.h"
#include "layers/memory_attention.h"
#include "layers/mixer.h"
#include "layers/residual.h"
#include "model/config.h"
#include "model/tensors.h"

namespace heed {

// A layer of either stack: an encoder layer is one that reads no memory.
struct Layer {
  Norm norm = Norm::after;
  Mixer mixer;
  LayerNorm mixer_norm;
  MemoryAttention memory;  // cross-attention over the other stack's output; no heads if the stack reads none
  LayerNorm memory_norm;
  FeedForward feed_forward;
  LayerNorm feed_forward_norm;

  bool reads_memory() const { return memory.shape.heads > 0; }
};

struct Stack {
  std::vector<Layer> layers;
  LayerNorm norm;  // after the last layer; without data if there is none
};

struct Parameters {
  EmbeddingWeights source;
  EmbeddingWeights target;
  Linear output;                  // the pre-softmax projection
  int first_token = start_token;  // what the decoder sees first; no_token: zeros
  Stack encoder;
  Stack decoder;
};

// Weights without data; config must have passed check().
Parameters make_parameters(const Config& config);

Layout layout_of(const Config& config);
std::vector<Tensor> list_tensors(const Config& config);
Index count_parameters(const Config& config);

// Views into a flat buffer of the layout; null gives only the shapes.
Parameters bind_parameters(const Config& config, float* flat);

// Initialises the buffer for training: Glorot uniform projections, those of queries, keys and values with half the
// variance, embeddings with standard deviation d_model^−½, biases 0, gains 1. A tensor's values depend only on the seed
// and its own name.
void initialise(const Layout& layout, std::uint64_t seed, float* flat);

// A linear layer as visitors see it.
struct LinearParts {
  std::span<const MixerTensors::Projection> parts = {};  // stacked: one product computes them all
  Index inputs = 0;
  bool bias = false;
  Initial initial = Initial::glorot_uniform;
  Index kept = 0;          // floats per row that backward needs besides the layer's output
  bool of_memory = false;  // its input is the memory, not the stack's own rows

  // The common name of the stacked projections.
  const char* name() const { return of_memory ? "memory" : parts[0].name; }
};

// Who reads a token table.
struct EmbeddingUsers {
  std::array<EmbeddingWeights*, 2> tables{};
  Linear* output = nullptr;
};

// Calls, in the order of the layout,
//   visitor.linear(path, Linear&, LinearParts)
//   visitor.vector(path, name, Matrix<float>&, rows, cols, Initial)
//   visitor.embedding(name, rows, cols, Initial, EmbeddingUsers)
//   visitor.table(name, Matrix<float>&, rows, cols)
template <class Visitor>
void visit(Parameters& p, const Config& config, Visitor&& visitor);

}  // namespace heed

#include "model/parameters-inl.h"
