// The list of a Transformer's tensors.
#pragma once

namespace heed {

template <class Visitor>
void visit_norm(LayerNorm& norm, const Path& above, Index width, Visitor& visitor) {
  const Path at{&above, "norm"};
  visitor.vector(at, "gain", norm.gain, 1, width, Initial::ones);
  visitor.vector(at, "bias", norm.bias, 1, width, Initial::zeros);
}

template <class Visitor>
void visit_linear(Linear& layer, const Path& at, MixerTensors::Projection part, LinearParts parts, Visitor& visitor) {
  parts.parts = {&part, 1};
  visitor.linear(at, layer, parts);
}

template <class Visitor>
void visit_mixer(Layer& layer, const Path& above, Visitor& visitor) {
  Mixer& mixer = layer.mixer;
  const Index width = mixer.shape.d_model;
  const MixerTensors tensors = mixer_tensors(mixer.shape);
  const Path at{&above, tensors.name};
  const auto count = static_cast<std::size_t>(
      std::count_if(tensors.input.begin(), tensors.input.end(), [](const auto& part) { return part.rows > 0; }));
  visitor.linear(at, mixer.input,
                 {.parts = std::span(tensors.input).first(count),
                  .inputs = width,
                  .bias = tensors.attends && mixer.shape.bias,
                  .initial = tensors.attends ? Initial::halved_glorot_uniform : Initial::glorot_uniform,
                  .kept = tensors.kept});
  if (tensors.channels != nullptr) {
    visitor.vector(at, tensors.channels, mixer.channels, tensors.channel_rows, width, Initial::zeros);
  }
  if (tensors.output_inputs > 0) {
    visit_linear(mixer.output, at, {"output", width},
                 {.inputs = tensors.output_inputs, .bias = mixer.shape.bias, .kept = tensors.output_inputs}, visitor);
  }
  visit_norm(layer.mixer_norm, at, width, visitor);
}

template <class Visitor>
void visit_memory_attention(Layer& layer, const Path& above, Visitor& visitor) {
  MemoryAttention& attention = layer.memory;
  const AttentionShape& shape = attention.shape;
  const Index width = layer.mixer.shape.d_model;
  const bool bias = layer.mixer.shape.bias;
  const Path at{&above, "encoder_attention"};
  constexpr Initial attending = Initial::halved_glorot_uniform;
  const MixerTensors::Projection memory[] = {{"key", shape.key_width()}, {"value", shape.value_width()}};
  visit_linear(attention.query, at, {"query", shape.key_width()}, {.inputs = width, .bias = bias, .initial = attending},
               visitor);
  visitor.linear(at, attention.memory,
                 {.parts = memory, .inputs = width, .bias = bias, .initial = attending, .of_memory = true});
  visit_linear(attention.output, at, {"output", width},
               {.inputs = shape.value_width(), .bias = bias, .kept = shape.value_width()}, visitor);
  visit_norm(layer.memory_norm, at, width, visitor);
}

template <class Visitor>
void visit_stack(Stack& stack, const char* name, Index d_ff, bool final_norm, Visitor& visitor) {
  const Path at{nullptr, name};
  const Index width = stack.layers[0].mixer.shape.d_model;
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    Layer& layer = stack.layers[i];
    const Path here{&at, "", static_cast<Index>(i)};
    visit_mixer(layer, here, visitor);
    if (layer.reads_memory()) visit_memory_attention(layer, here, visitor);
    const Path feed_forward{&here, "feed_forward"};
    visit_linear(layer.feed_forward.inner, feed_forward, {"inner", d_ff}, {.inputs = width, .bias = true}, visitor);
    // For relu, backward needs only the signs of the output.
    const Index kept = layer.feed_forward.activation == Activation::relu ? 0 : d_ff;
    visit_linear(layer.feed_forward.outer, feed_forward, {"outer", width}, {.inputs = d_ff, .bias = true, .kept = kept},
                 visitor);
    visit_norm(layer.feed_forward_norm, feed_forward, width, visitor);
  }
  if (final_norm) visit_norm(stack.norm, at, width, visitor);
}

template <class Visitor>
void visit_embeddings(Parameters& p, const Config& c, Visitor& visitor) {
  const auto table = [&](const char* name, Index rows, const EmbeddingUsers& users) {
    visitor.embedding(name, rows, c.d_model, Initial::embedding_normal, users);
  };
  switch (c.tie) {
    case Tie::all: table("embedding", c.source_vocab, {{&p.source, &p.target}, &p.output}); break;
    case Tie::target:
      table("source_embedding", c.source_vocab, {{&p.source}});
      table("target_embedding", c.target_vocab, {{&p.target}, &p.output});
      break;
    case Tie::embeddings: table("embedding", c.source_vocab, {{&p.source, &p.target}}); break;
    case Tie::none:
      table("source_embedding", c.source_vocab, {{&p.source}});
      table("target_embedding", c.target_vocab, {{&p.target}});
      break;
  }
  if (c.tie == Tie::none || c.tie == Tie::embeddings) {
    visitor.embedding("output", c.target_vocab, c.d_model, Initial::glorot_uniform, {{}, &p.output});
  }
  if (c.output_bias) {
    visitor.vector(Path{nullptr, "output"}, "bias", p.output.bias, 1, c.target_vocab, Initial::zeros);
  }
  if (c.positions == Positions::learned) {
    visitor.table("source_positions", p.source.positions, c.max_positions, c.d_model);
    visitor.table("target_positions", p.target.positions, c.max_positions, c.d_model);
  }
  if (c.embedding_norm) {
    visit_norm(p.source.norm, Path{nullptr, "source_embedding"}, c.d_model, visitor);
    visit_norm(p.target.norm, Path{nullptr, "target_embedding"}, c.d_model, visitor);
  }
}

template <class Visitor>
void visit(Parameters& p, const Config& config, Visitor&& visitor) {
  const bool final_norm = config.norm == Norm::before || config.final_norm;
  visit_embeddings(p, config, visitor);
  visit_stack(p.encoder, "encoder", config.d_ff, final_norm, visitor);
  visit_stack(p.decoder, "decoder", config.decoder_width(), final_norm, visitor);
}

}  // namespace heed
