#include "model/transformer.h"

#include <cassert>

#include "heed/error.h"
#include "model/memory_need.h"

namespace heed {
namespace {

const Config& checked(const Config& config, Purpose purpose) {
  check(config);
  check_memory(config, purpose);
  return config;
}

// Calls visit(Linear&) for every linear layer.
template <class Visit>
class EachLinear {
 public:
  explicit EachLinear(const Visit& visit) : visit_(visit) {}

  void linear(const Path&, Linear& layer, const LinearParts&) { visit_(layer); }
  void embedding(const char*, Index, Index, Initial, const EmbeddingUsers& users) {
    if (users.output != nullptr) visit_(*users.output);
  }
  void vector(const Path&, const char*, Matrix<float>&, Index, Index, Initial) {}
  void table(const char*, Matrix<float>&, Index, Index) {}

 private:
  const Visit& visit_;
};

Index all_panels_size(Parameters& parameters, const Config& config) {
  Index total = 0;
  visit(parameters, config, EachLinear([&](Linear& layer) { total += panels_size(layer); }));
  return total;
}

}  // namespace

Transformer::Transformer(const Config& config, Purpose purpose)
    : config_(checked(config, purpose)),
      layout_(layout_of(config)),
      values_(static_cast<std::size_t>(layout_.size) * sizeof(float)),
      parameters_(bind_parameters(config, values_.floats())),
      backward_(purpose == Purpose::training) {
  const Index directions = backward_ ? 2 : 1;
  panels_ = Pages(static_cast<std::size_t>(directions * all_panels_size(parameters_, config_)) * sizeof(float));
}

Transformer::Transformer(const Config& config, Int8Weights weights)
    : config_(config), layout_(layout_of(config)), int8_(std::move(weights)), parameters_(int8_.parameters) {}

void Transformer::pack(const Workspace& workspace) {
  assert(values_.data() != nullptr);
  float* next = panels_.floats();
  visit(parameters_, config_, EachLinear([&](Linear& layer) {
          const Index size = panels_size(layer);
          pack_linear(layer, next, backward_ ? next + size : nullptr, workspace);
          next += backward_ ? 2 * size : size;
        }));
}

Loss compute_loss(const Transformer& model, const Batch& batch, float smoothing, const Workspace& workspace) {
  if (batch.target.sentences() == 0) return {};
  const Arena::Scope scope(workspace.arena);
  const Parameters& parameters = model.parameters();
  const RaggedRows memory{encode(parameters, batch.source, {}, workspace, nullptr), batch.source.offsets};
  const Matrix<const float> hidden = decode(parameters, batch.target, memory, {}, workspace, nullptr);
  return loss(hidden, parameters.output, batch.target.tokens, smoothing, workspace);
}

Loss compute_gradient(const Transformer& model, const Batch& batch, const Dropout& dropout, const Parameters& gradient,
                      const Workspace& workspace) {
  if (batch.target.sentences() == 0) return {};
  const Arena::Scope scope(workspace.arena);
  const Parameters& parameters = model.parameters();
  HalfTrace encoder, decoder;
  const RaggedRows memory{encode(parameters, batch.source, dropout, workspace, &encoder), batch.source.offsets};
  const Matrix<const float> hidden = decode(parameters, batch.target, memory, dropout, workspace, &decoder);

  const Matrix<float> dhidden = workspace.arena.matrix(hidden.rows, hidden.cols);
  const Matrix<float> dmemory = workspace.arena.matrix(memory.rows.rows, memory.rows.cols);
  const Loss total = loss_backward(hidden, parameters.output, batch.target.tokens, model.config().label_smoothing,
                                   gradient.output, dhidden, workspace);
  for (Index row = 0; row < dmemory.rows; ++row) std::fill_n(dmemory.row(row), dmemory.cols, 0.0f);
  decode_backward(parameters, decoder, dhidden, dmemory, gradient, dropout, workspace);
  encode_backward(parameters, encoder, dmemory, gradient, dropout, workspace);
  return total;
}

}  // namespace heed
