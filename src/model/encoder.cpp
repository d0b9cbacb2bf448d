#include "model/encoder.h"

#include "model/sites.h"

namespace heed {
namespace {

// Everything that stays the same from layer to layer.
struct Stack {
  const Config& config;
  const Ragged& source;
  const Dropout& dropout;
  const Workspace& workspace;

  Residual residual_of(const LayerNorm& norm) const { return {norm, config.norm, dropout.kernel_rate()}; }
};

Matrix<float> encoder_layer(Matrix<const float> x, const EncoderLayer& layer, Index index, const Stack& stack,
                            EncoderLayerTrace* trace) {
  const Workspace& workspace = stack.workspace;
  const auto keys = [&](int sublayer) {
    return dropout_keys(stack.dropout, encoder_site(index, sublayer), stack.source.offsets, workspace.arena);
  };
  const Matrix<float> attended = residual(
      x, stack.residual_of(layer.self_attention_norm), keys(0), workspace,
      trace == nullptr ? nullptr : &trace->self_attention_residual, [&](Matrix<const float> in, Matrix<float> out) {
        self_attention(in, layer.self_attention, stack.config.attention_shape(), stack.source.offsets,
                       kernels::Mask::none, out, workspace, trace == nullptr ? nullptr : &trace->self_attention);
      });
  return residual(attended, stack.residual_of(layer.feed_forward_norm), keys(1), workspace,
                  trace == nullptr ? nullptr : &trace->feed_forward_residual,
                  [&](Matrix<const float> in, Matrix<float> out) {
                    feed_forward(in, layer.feed_forward, stack.config.activation, out, workspace,
                                 trace == nullptr ? nullptr : &trace->feed_forward);
                  });
}

void encoder_layer_backward(Matrix<float> dx, const EncoderLayer& layer, const Stack& stack,
                            const EncoderLayerTrace& trace, const EncoderLayer& gradient) {
  const Workspace& workspace = stack.workspace;
  residual_backward(dx, stack.residual_of(layer.feed_forward_norm), trace.feed_forward_residual,
                    gradient.feed_forward_norm, workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, kernels::Start start) {
                      feed_forward_backward(dout, layer.feed_forward, stack.config.activation, trace.feed_forward,
                                            gradient.feed_forward, din, start, workspace);
                    });
  residual_backward(dx, stack.residual_of(layer.self_attention_norm), trace.self_attention_residual,
                    gradient.self_attention_norm, workspace,
                    [&](Matrix<const float> dout, Matrix<float> din, kernels::Start start) {
                      self_attention_backward(dout, layer.self_attention, stack.config.attention_shape(),
                                              stack.source.offsets, kernels::Mask::none, trace.self_attention,
                                              gradient.self_attention, din, start, workspace);
                    });
}

}  // namespace

Matrix<const float> encode(const Config& config, const Parameters& parameters, const Ragged& source,
                           const Dropout& dropout, const Workspace& workspace, EncoderTrace* trace) {
  Arena& arena = workspace.arena;
  const Stack stack{config, source, dropout, workspace};
  const EmbeddingInput embedding{source.tokens, source.offsets, config.positions, dropout.kernel_rate(),
                                 dropout_keys(dropout, source_embedding_site, source.offsets, arena)};
  if (trace != nullptr) {
    trace->embedding = embedding;
    trace->layers = arena.array<EncoderLayerTrace>(config.encoder_layers);
  }
  const Matrix<float> embedded = arena.matrix(source.offsets.back(), config.d_model);
  embed(embedding, parameters.source, embedded, workspace);
  Matrix<const float> x = embedded;
  for (std::size_t i = 0; i < parameters.encoder.size(); ++i) {
    x = encoder_layer(x, parameters.encoder[i], static_cast<Index>(i), stack,
                      trace == nullptr ? nullptr : &trace->layers[i]);
  }
  return config.norm == Norm::before ? final_norm(x, parameters.encoder_norm, workspace, trace) : x;
}

void encode_backward(const Config& config, const Parameters& parameters, const Ragged& source, const Dropout& dropout,
                     const EncoderTrace& trace, Matrix<float> dmemory, const Parameters& gradient,
                     const Workspace& workspace) {
  const Stack stack{config, source, dropout, workspace};
  const Matrix<float> dx = dmemory;
  if (config.norm == Norm::before) {
    layer_norm_backward(dx, trace.norm_input, trace.norm_stats, parameters.encoder_norm, gradient.encoder_norm, dx,
                        workspace);
  }
  for (std::size_t i = parameters.encoder.size(); i-- > 0;) {
    encoder_layer_backward(dx, parameters.encoder[i], stack, trace.layers[i], gradient.encoder[i]);
  }
  embed_backward(trace.embedding, dx, gradient.source, workspace);
}

}  // namespace heed
