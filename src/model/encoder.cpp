#include "model/encoder.h"

#include "model/sites.h"

namespace heed {
namespace {

Matrix<float> encoder_layer(Matrix<const float> x, const EncoderLayer& layer, Index index, const Stack& stack,
                            EncoderLayerTrace* trace) {
  const Matrix<float> attended =
      add_self_attention(x, layer.self_attention, layer.self_attention_norm, kernels::Mask::none,
                         encoder_site(index, 0), stack, part(trace, &EncoderLayerTrace::self_attention));
  return add_feed_forward(attended, layer.feed_forward, layer.feed_forward_norm, encoder_site(index, 1), stack,
                          part(trace, &EncoderLayerTrace::feed_forward));
}

void encoder_layer_backward(Matrix<float> dx, const EncoderLayer& layer, const Stack& stack,
                            const EncoderLayerTrace& trace, const EncoderLayer& gradient) {
  add_feed_forward_backward(dx, layer.feed_forward, layer.feed_forward_norm, stack, trace.feed_forward,
                            gradient.feed_forward, gradient.feed_forward_norm);
  add_self_attention_backward(dx, layer.self_attention, layer.self_attention_norm, kernels::Mask::none, stack,
                              trace.self_attention, gradient.self_attention, gradient.self_attention_norm);
}

}  // namespace

Matrix<const float> encode(const Config& config, const Parameters& parameters, const Ragged& source,
                           const Dropout& dropout, const Workspace& workspace, EncoderTrace* trace) {
  Arena& arena = workspace.arena;
  const Stack stack{config, source.offsets, dropout, workspace};
  const EmbeddingInput embedding{source.tokens, source.offsets, config.positions, dropout.kernel_rate(),
                                 stack.keys(source_embedding_site)};
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
  return config.norm == Norm::before
             ? final_norm(x, parameters.encoder_norm, workspace, part(trace, &EncoderTrace::norm))
             : x;
}

void encode_backward(const Config& config, const Parameters& parameters, const Ragged& source, const Dropout& dropout,
                     const EncoderTrace& trace, Matrix<float> dmemory, const Parameters& gradient,
                     const Workspace& workspace) {
  const Stack stack{config, source.offsets, dropout, workspace};
  const Matrix<float> dx = dmemory;
  if (config.norm == Norm::before) {
    layer_norm_backward(dx, trace.norm.x, trace.norm.stats, parameters.encoder_norm, gradient.encoder_norm, dx,
                        workspace);
  }
  for (std::size_t i = parameters.encoder.size(); i-- > 0;) {
    encoder_layer_backward(dx, parameters.encoder[i], stack, trace.layers[i], gradient.encoder[i]);
  }
  embed_backward(trace.embedding, dx, gradient.source, workspace);
}

}  // namespace heed
