// The weights of a Transformer, and the one function that lists them.
//
// visit() walks over every tensor in the order of the layout. What goes tensor by tensor or layer by layer is a
// visitor: the layout itself, views into a flat buffer, packing, 8-bit integers, the memory needed, the floor of the
// benches.
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

// A layer of either stack: the encoder's is the one that reads no memory.
struct Layer {
  Norm norm = Norm::after;
  Mixer mixer;
  LayerNorm mixer_norm;
  MemoryAttention memory;  // over the other stack's output; without rows where the stack reads none
  LayerNorm memory_norm;
  FeedForward feed_forward;
  LayerNorm feed_forward_norm;

  bool reads_memory() const { return memory.shape.heads > 0; }
};

struct Stack {
  std::vector<Layer> layers;
  LayerNorm norm;  // after the last layer; without numbers where there is none
};

struct Parameters {
  EmbeddingWeights source;
  EmbeddingWeights target;
  Linear output;                  // the pre-softmax projection
  int first_token = start_token;  // what the decoder sees first; no_token: zeros
  Stack encoder;
  Stack decoder;
};

// Weights without numbers; config must have passed check().
Parameters make_parameters(const Config& config);

Layout layout_of(const Config& config);
std::vector<Tensor> list_tensors(const Config& config);
Index count_parameters(const Config& config);

// Views into a flat buffer of the layout; null gives the shapes alone.
Parameters bind_parameters(const Config& config, float* flat);

// Fills the buffer with the values that training starts from: Glorot uniform projections, those of queries, keys and
// values with half the variance where the norm comes after, embeddings with standard deviation d_model^−½, biases 0,
// gains 1. A tensor's values depend on the seed and its own name only.
void initialise(const Layout& layout, std::uint64_t seed, float* flat);

// A linear layer as visitors see it.
struct LinearParts {
  std::span<const MixerTensors::Projection> parts = {};  // stacked: one product computes them all
  Index inputs = 0;
  bool bias = false;
  Initial initial = Initial::glorot_uniform;
  Index kept = 0;          // numbers a row that backward needs beside the layer's output
  bool of_memory = false;  // its input are the rows of the memory, not the stack's own

  // What the stacked projections are called together.
  const char* name() const { return of_memory ? "memory" : parts[0].name; }
};

// Who reads a table of tokens.
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
