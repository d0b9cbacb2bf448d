#include "model/decoder.h"

#include "model/sites.h"

namespace heed {
namespace {

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

Matrix<float> decoder_layer(Matrix<const float> x, const Memory& memory, const DecoderLayer& layer, Index index,
                            const Stack& stack, DecoderLayerTrace* trace) {
  const Matrix<float> attended =
      add_self_attention(x, layer.self_attention, layer.self_attention_norm, kernels::Mask::causal,
                         decoder_site(index, 0), stack, part(trace, &DecoderLayerTrace::self_attention));
  const Matrix<float> informed =
      add_encoder_attention(attended, memory, layer.encoder_attention, layer.encoder_attention_norm,
                            decoder_site(index, 1), stack, part(trace, &DecoderLayerTrace::encoder_attention));
  return add_feed_forward(informed, layer.feed_forward, layer.feed_forward_norm, decoder_site(index, 2), stack,
                          part(trace, &DecoderLayerTrace::feed_forward));
}

void decoder_layer_backward(Matrix<float> dx, Matrix<float> dmemory, const Memory& memory, const DecoderLayer& layer,
                            const Stack& stack, const DecoderLayerTrace& trace, const DecoderLayer& gradient) {
  add_feed_forward_backward(dx, layer.feed_forward, layer.feed_forward_norm, stack, trace.feed_forward,
                            gradient.feed_forward, gradient.feed_forward_norm);
  add_encoder_attention_backward(dx, dmemory, memory, layer.encoder_attention, layer.encoder_attention_norm, stack,
                                 trace.encoder_attention, gradient.encoder_attention, gradient.encoder_attention_norm);
  add_self_attention_backward(dx, layer.self_attention, layer.self_attention_norm, kernels::Mask::causal, stack,
                              trace.self_attention, gradient.self_attention, gradient.self_attention_norm);
}

}  // namespace

Matrix<const float> decode(const Config& config, const Parameters& parameters, const Ragged& target,
                           const Memory& memory, const Dropout& dropout, const Workspace& workspace,
                           DecoderTrace* trace) {
  Arena& arena = workspace.arena;
  const Stack stack{config, target.offsets, dropout, workspace};
  const EmbeddingInput embedding{shifted_right(target, config.start, arena), target.offsets, config.positions,
                                 dropout.kernel_rate(), stack.keys(target_embedding_site)};
  if (trace != nullptr) {
    trace->embedding = embedding;
    trace->layers = arena.array<DecoderLayerTrace>(config.decoder_layers);
  }
  const Matrix<float> embedded = arena.matrix(target.offsets.back(), config.d_model);
  embed(embedding, parameters.target, embedded, workspace);
  Matrix<const float> x = embedded;
  for (std::size_t i = 0; i < parameters.decoder.size(); ++i) {
    x = decoder_layer(x, memory, parameters.decoder[i], static_cast<Index>(i), stack,
                      trace == nullptr ? nullptr : &trace->layers[i]);
  }
  return config.norm == Norm::before
             ? final_norm(x, parameters.decoder_norm, workspace, part(trace, &DecoderTrace::norm))
             : x;
}

void decode_backward(const Config& config, const Parameters& parameters, const Ragged& target, const Memory& memory,
                     const Dropout& dropout, const DecoderTrace& trace, Matrix<float> dhidden, Matrix<float> dmemory,
                     const Parameters& gradient, const Workspace& workspace) {
  const Stack stack{config, target.offsets, dropout, workspace};
  const Matrix<float> dx = dhidden;
  if (config.norm == Norm::before) {
    layer_norm_backward(dx, trace.norm.x, trace.norm.stats, parameters.decoder_norm, gradient.decoder_norm, dx,
                        workspace);
  }
  for (std::size_t i = parameters.decoder.size(); i-- > 0;) {
    decoder_layer_backward(dx, dmemory, memory, parameters.decoder[i], stack, trace.layers[i], gradient.decoder[i]);
  }
  embed_backward(trace.embedding, dx, gradient.target, workspace);
}

}  // namespace heed
