// The whole model: its weights, its loss on a batch and the gradient of that loss.
//
// One const Transformer may be used by many threads, each with a Workspace of its own.
#pragma once

#include "layers/loss.h"
#include "model/encoder_decoder.h"
#include "model/int8_weights.h"
#include "model/memory_need.h"

namespace heed {

class Transformer {
 public:
  // Inference packs the weights for the forward pass only. Throws Error if the config is invalid or the machine has too
  // little memory.
  Transformer(const Config& config, Purpose purpose);
  // For inference in 8-bit integers; it has no values() and is never packed.
  Transformer(const Config& config, Int8Weights weights);

  const Config& config() const { return config_; }
  const Layout& layout() const { return layout_; }
  Index parameter_count() const { return layout_.size; }
  std::span<float> values() { return {values_.floats(), value_count()}; }
  std::span<const float> values() const { return {values_.floats(), value_count()}; }
  const Parameters& parameters() const { return parameters_; }

  // Brings the packed weights up to date with values(); nothing can be computed before.
  void pack(const Workspace& workspace);

 private:
  std::size_t value_count() const { return values_.data() == nullptr ? 0 : static_cast<std::size_t>(layout_.size); }

  Config config_;
  Layout layout_;
  Pages values_;
  Pages panels_;
  Int8Weights int8_;
  Parameters parameters_;
  bool backward_ = false;
};

// The batch must have passed check(batch, config).
Loss compute_loss(const Transformer& model, const Batch& batch, float smoothing, const Workspace& workspace);

// Adds the gradient of the summed loss to `gradient`, the views into a flat buffer of the model's layout.
Loss compute_gradient(const Transformer& model, const Batch& batch, const Dropout& dropout, const Parameters& gradient,
                      const Workspace& workspace);

}  // namespace heed
