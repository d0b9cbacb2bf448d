// The whole model: its weights, its loss on a batch and the gradient of that loss.
//
// One const Transformer may be used by many threads, each with a Workspace of its own.
#pragma once

#include "layers/loss.h"
#include "model/decoder.h"
#include "model/encoder.h"

namespace heed {

enum class Purpose { training, inference };  // inference packs the weights for the forward pass only

class Transformer {
 public:
  // Throws Error when the config does not fit, or the machine has not the memory.
  Transformer(const Config& config, Purpose purpose);

  const Config& config() const { return config_; }
  Index parameter_count() const { return count_; }
  std::span<float> values() { return {values_.floats(), static_cast<std::size_t>(count_)}; }
  std::span<const float> values() const { return {values_.floats(), static_cast<std::size_t>(count_)}; }
  const Parameters& parameters() const { return parameters_; }

  // Brings the packed weights up to date with values(); nothing can be computed before.
  void pack(const Workspace& workspace);

 private:
  Config config_;
  Index count_;
  Pages values_;
  Pages panels_;
  Parameters parameters_;
  bool backward_;
};

// Source and target have passed check(batch, config).
Loss compute_loss(const Transformer& model, const Batch& batch, float smoothing, const Workspace& workspace);

// Adds the gradient of the summed loss to `gradient`, the views into a flat buffer of the model's layout.
Loss compute_gradient(const Transformer& model, const Batch& batch, const Dropout& dropout, const Parameters& gradient,
                      const Workspace& workspace);

}  // namespace heed
