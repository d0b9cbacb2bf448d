// Training one update at a time: gradients of one or more batches, then one step of Adam.
//
// After the first updates nothing is allocated any more. The same seed and batches give the same bits on any number of
// threads. Not thread-safe: one trainer, one caller.
#pragma once

#include "model/files.h"
#include "model/transformer.h"
#include "training/adam.h"
#include "training/schedule.h"

namespace heed {

struct TrainingOptions {
  Schedule schedule{};
  AdamOptions adam{};
  double clip = 0.0;  // largest gradient norm; 0: no limit
  std::uint64_t seed = 1;
};

struct UpdateReport {
  Loss loss;  // summed over the tokens of the update
  double gradient_norm = 0.0;
  double learning_rate = 0.0;
  bool skipped = false;  // the gradient was not finite: nothing changed

  double smoothed_per_token() const { return loss.smoothed / static_cast<double>(loss.tokens); }
  double plain_per_token() const { return loss.plain / static_cast<double>(loss.tokens); }
};

class Trainer {
 public:
  // Weights start from the seed. Throws Error when the config does not fit.
  Trainer(const Config& config, const TrainingOptions& options, int threads);

  // One update from the sum of all batches, divided by all their target tokens. Throws Error for a batch that does not
  // fit the model, before anything is computed, and for an update without any token.
  UpdateReport update(std::span<const Batch> batches);
  // The loss of a batch as it stands, without dropout.
  Loss evaluate(const Batch& batch);

  // Goes on from other weights, with the moments as they are.
  void set_values(std::span<const float> values);
  std::span<float> weights() { return model_.values(); }

  // The flat buffers that a checkpoint must hold, by their names in the file: weights and moments.
  FlatBuffers state();
  // Goes on from buffers that were read into state() after so many updates.
  void restore(Index updates);

  const Transformer& model() const { return model_; }
  // The highest learning rate of the schedule.
  double peak_rate() const { return options_.schedule.peak_rate(model_.config().d_model); }
  Index updates() const { return adam_.updates(); }
  // For inference between updates.
  const Workspace& workspace() const { return workspace_; }
  // Where the time goes from now on; null stops it.
  void measure(PhaseSeconds* phases) { workspace_.phases = phases; }
  std::size_t scratch_bytes() const { return arena_.peak(); }

 private:
  TrainingOptions options_;
  ThreadPool threads_;
  Arena arena_;
  Workspace workspace_;
  Transformer model_;
  Pages gradient_values_;
  std::span<float> gradient_;
  Parameters gradient_views_;
  Adam adam_;
};

}  // namespace heed
