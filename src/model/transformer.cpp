#include "model/transformer.h"

#include "heed/error.h"
#include "model/memory.h"

namespace heed {
namespace {

const Config& checked(const Config& config, Purpose purpose) {
  check(config);
  check_memory(config, purpose == Purpose::training);
  return config;
}

Index all_panels_size(Parameters& parameters) {
  Index total = 0;
  for_each_linear(parameters, [&](Linear& layer) { total += panels_size(layer); });
  return total;
}

}  // namespace

Transformer::Transformer(const Config& config, Purpose purpose)
    : config_(checked(config, purpose)),
      count_(count_parameters(config)),
      values_(static_cast<std::size_t>(count_) * sizeof(float)),
      parameters_(bind_parameters(config, values_.floats())),
      backward_(purpose == Purpose::training) {
  const Index directions = backward_ ? 2 : 1;
  panels_ = Pages(static_cast<std::size_t>(directions * all_panels_size(parameters_)) * sizeof(float));
}

Transformer::Transformer(const Config& config, Int8Weights weights)
    : config_(config), count_(count_parameters(config)), int8_(std::move(weights)), parameters_(int8_.parameters) {}

void Transformer::pack(const Workspace& workspace) {
  float* next = panels_.floats();
  for_each_linear(parameters_, [&](Linear& layer) {
    const Index size = panels_size(layer);
    pack_linear(layer, next, backward_ ? next + size : nullptr, workspace);
    next += backward_ ? 2 * size : size;
  });
}

Loss compute_loss(const Transformer& model, const Batch& batch, float smoothing, const Workspace& workspace) {
  if (batch.source.sentences() == 0) return {};
  const Arena::Scope scope(workspace.arena);
  const Parameters& parameters = model.parameters();
  const Memory memory{encode(model.config(), parameters, batch.source, {}, workspace, nullptr), batch.source.offsets};
  const Matrix<const float> hidden = decode(model.config(), parameters, batch.target, memory, {}, workspace, nullptr);
  return loss(hidden, parameters.output, batch.target.tokens, smoothing, workspace);
}

Loss compute_gradient(const Transformer& model, const Batch& batch, const Dropout& dropout, const Parameters& gradient,
                      const Workspace& workspace) {
  if (batch.source.sentences() == 0) return {};
  const Arena::Scope scope(workspace.arena);
  const Config& config = model.config();
  const Parameters& parameters = model.parameters();
  EncoderTrace encoder;
  DecoderTrace decoder;
  const Memory memory{encode(config, parameters, batch.source, dropout, workspace, &encoder), batch.source.offsets};
  const Matrix<const float> hidden = decode(config, parameters, batch.target, memory, dropout, workspace, &decoder);

  const Matrix<float> dhidden = workspace.arena.matrix(hidden.rows, hidden.cols);
  const Matrix<float> dmemory = workspace.arena.matrix(memory.rows.rows, memory.rows.cols);
  const Loss total = loss_backward(hidden, parameters.output, batch.target.tokens, config.label_smoothing,
                                   gradient.output, dhidden, workspace);
  for (Index row = 0; row < dmemory.rows; ++row) std::fill_n(dmemory.row(row), dmemory.cols, 0.0f);
  decode_backward(config, parameters, batch.target, memory, dropout, decoder, dhidden, dmemory, gradient, workspace);
  encode_backward(config, parameters, batch.source, dropout, encoder, dmemory, gradient, workspace);
  return total;
}

}  // namespace heed
