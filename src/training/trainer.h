// Training one update at a time: gradients accumulated over one or more micro-batches, then one Adam step.
//
// After the first updates nothing is allocated. The same seed and batches give the same bits on any number of
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
  double clip = 0.0;  // maximum gradient norm; 0: no clipping
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
  // Weights are initialised from the seed. Throws Error if the config is invalid.
  Trainer(const Config& config, const TrainingOptions& options, int threads);

  // One update from the gradients of all batches, averaged over their target tokens. Throws Error for a batch that does
  // not fit the model, before anything is computed, and for an update without tokens.
  UpdateReport update(std::span<const Batch> batches);
  // The loss of a batch without dropout.
  Loss evaluate(const Batch& batch);

  // Replaces the weights; the moments stay.
  void set_values(std::span<const float> values);
  std::span<float> weights() { return model_.values(); }

  // The flat buffers of a checkpoint, by their prefix in the file: weights and moments.
  FlatBuffers state();
  // Resumes after `updates` updates from buffers that were read into state().
  void restore(Index updates);

  const Transformer& model() const { return model_; }
  // The highest learning rate of the schedule.
  double peak_rate() const { return options_.schedule.peak_rate(model_.config().d_model); }
  Index updates() const { return adam_.updates(); }
  // For inference between updates.
  const Workspace& workspace() const { return workspace_; }
  // Records the time of each phase from now on; null stops.
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
