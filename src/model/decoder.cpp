#include "model/decoder.h"

#include "model/sites.h"

namespace heed {
namespace {

// Everything that stays the same from layer to layer.
struct Stack {
  const Config& config;
  const Ragged& target;
  const Memory& memory;
  const Dropout& dropout;
  const Workspace& workspace;

  Residual residual_of(const LayerNorm& norm) const { return {norm, config.norm, dropout.kernel_rate()}; }
};

// The target shifted right by one: each sentence starts from the start token, or from nothing.
std::span<const int> shifted_right(const Ragged& target, StartFrom start, Arena& arena) {
  const std::span<int> input = arena.array<int>(target.offsets.back());
  for (std::size_t s = 0; s + 1 < target.offsets.size(); ++s) {
    for (Index i = target.offsets[s]; i < target.offsets[s + 1]; ++i) {
      const int first = start == StartFrom::token ? start_token : no_token;
      input[static_cast<std::size_t>(i)] =
          i == target.offsets[s] ? first : target.tokens[static_cast<std::size_t>(i - 1)];
    }
  }
  return input;
}

Matrix<float> decoder_layer(Matrix<const float> x, const DecoderLayer& layer, Index index, const Stack& stack,
                            DecoderLayerTrace* trace) {
  const Workspace& workspace = stack.workspace;
  const AttentionShape shape = stack.config.attention_shape();
  const std::span<const Index> offsets = stack.target.offsets;
  const auto keys = [&](int sublayer) {
    return dropout_keys(stack.dropout, decoder_site(index, sublayer), offsets, workspace.arena);
  };
  const Matrix<float> attended = residual(
      x, stack.residual_of(layer.self_attention_norm), keys(0), workspace,
      trace == nullptr ? nullptr : &trace->self_attention_residual, [&](Matrix<const float> in, Matrix<float> out) {
        self_attention(in, layer.self_attention, shape, offsets, kernels::Mask::causal, out, workspace,
                       trace == nullptr ? nullptr : &trace->self_attention);
      });
  const Matrix<float> informed = residual(
      attended, stack.residual_of(layer.encoder_attention_norm), keys(1), workspace,
      trace == nullptr ? nullptr : &trace->encoder_attention_residual, [&](Matrix<const float> in, Matrix<float> out) {
        encoder_attention(in, stack.memory, layer.encoder_attention, shape, offsets, out, workspace,
                          trace == nullptr ? nullptr : &trace->encoder_attention);
      });
  return residual(informed, stack.residual_of(layer.feed_forward_norm), keys(2), workspace,
                  trace == nullptr ? nullptr : &trace->feed_forward_residual,
                  [&](Matrix<const float> in, Matrix<float> out) {
                    feed_forward(in, layer.feed_forward, stack.config.activation, out, workspace,
                                 trace == nullptr ? nullptr : &trace->feed_forward);
                  });
}

void decoder_layer_backward(Matrix<float> dx, Matrix<float> dmemory, const DecoderLayer& layer, const Stack& stack,
                            const DecoderLayerTrace& trace, const DecoderLayer& gradient) {
  const Workspace& workspace = stack.workspace;
  const AttentionShape shape = stack.config.attention_shape();
  const std::span<const Index> offsets = stack.target.offsets;
  residual_backward(dx, stack.residual_of(layer.feed_forward_norm), trace.feed_forward_residual,
                    gradient.feed_forward_norm, workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, kernels::Start start) {
                      feed_forward_backward(dout, layer.feed_forward, stack.config.activation, trace.feed_forward,
                                            gradient.feed_forward, din, start, workspace);
                    });
  residual_backward(dx, stack.residual_of(layer.encoder_attention_norm), trace.encoder_attention_residual,
                    gradient.encoder_attention_norm, workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, kernels::Start start) {
                      encoder_attention_backward(dout, stack.memory, layer.encoder_attention, shape, offsets,
                                                 trace.encoder_attention, gradient.encoder_attention, din, start,
                                                 dmemory, workspace);
                    });
  residual_backward(dx, stack.residual_of(layer.self_attention_norm), trace.self_attention_residual,
                    gradient.self_attention_norm, workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, kernels::Start start) {
                      self_attention_backward(dout, layer.self_attention, shape, offsets, kernels::Mask::causal,
                                              trace.self_attention, gradient.self_attention, din, start, workspace);
                    });
}

}  // namespace

Matrix<const float> decode(const Config& config, const Parameters& parameters, const Ragged& target,
                           const Memory& memory, const Dropout& dropout, const Workspace& workspace,
                           DecoderTrace* trace) {
  Arena& arena = workspace.arena;
  const Stack stack{config, target, memory, dropout, workspace};
  const EmbeddingInput embedding{shifted_right(target, config.start, arena), target.offsets, config.positions,
                                 dropout.kernel_rate(),
                                 dropout_keys(dropout, target_embedding_site, target.offsets, arena)};
  if (trace != nullptr) {
    trace->embedding = embedding;
    trace->layers = arena.array<DecoderLayerTrace>(config.decoder_layers);
  }
  const Matrix<float> embedded = arena.matrix(target.offsets.back(), config.d_model);
  embed(embedding, parameters.target, embedded, workspace);
  Matrix<const float> x = embedded;
  for (std::size_t i = 0; i < parameters.decoder.size(); ++i) {
    x = decoder_layer(x, parameters.decoder[i], static_cast<Index>(i), stack,
                      trace == nullptr ? nullptr : &trace->layers[i]);
  }
  return config.norm == Norm::before ? final_norm(x, parameters.decoder_norm, workspace, trace) : x;
}

void decode_backward(const Config& config, const Parameters& parameters, const Ragged& target, const Memory& memory,
                     const Dropout& dropout, const DecoderTrace& trace, Matrix<float> dhidden, Matrix<float> dmemory,
                     const Parameters& gradient, const Workspace& workspace) {
  const Stack stack{config, target, memory, dropout, workspace};
  const Matrix<float> dx = dhidden;
  if (config.norm == Norm::before) {
    layer_norm_backward(dx, trace.norm_input, trace.norm_stats, parameters.decoder_norm, gradient.decoder_norm, dx,
                        workspace);
  }
  for (std::size_t i = parameters.decoder.size(); i-- > 0;) {
    decoder_layer_backward(dx, dmemory, parameters.decoder[i], stack, trace.layers[i], gradient.decoder[i]);
  }
  embed_backward(trace.embedding, dx, gradient.target, workspace);
}

}  // namespace heed
