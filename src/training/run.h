// A whole training run: updates, validation, saves and limits, in a folder that it can always go on from.
//
// What enters the weights is counted in updates: saves by the clock, limits in hours and the number of threads change
// when a run pauses, never what it computes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "training/batch_feed.h"
#include "training/checkpoint.h"
#include "training/log.h"
#include "training/trainer.h"

namespace heed {

// 0 is no limit.
struct RunLimits {
  Index updates = 0;
  Index epochs = 0;
  double hours = 0.0;
  Index patience = 0;  // validations without a new best
};

struct RunOptions {
  std::filesystem::path folder;
  EpochOptions epoch{};
  Index accumulate = 5;  // batches an update
  RunLimits limits{};
  Index valid_every = 1000;
  Index save_every = 1000;
  Index keep = 0;     // saves that stay on the disk, at least those that are averaged
  Index average = 5;  // saves that model.safetensors is the average of
  Index log_every = 50;
  double ema = 0.0;                  // decay of an exponential average of the weights; 0: none
  double checkpoint_minutes = 10.0;  // by the clock, beside the saves
  WeightFacts origin = {};           // joins the metadata of every file of weights
  std::string judged_by = {};        // data, metric and search of validation: where they change, there is no best yet
};

struct RunCallbacks {
  // Validates the model as it stands; nothing when a signal came in between.
  std::function<std::optional<Validation>()> validate;
  // Larger is better: what "best" and patience go by.
  std::function<double(const Validation&)> quality;
  // After a validation and at the end, once the log is up to date.
  std::function<void(const TrainingLog&)> report;
  // The signal that asks for an end; 0: none.
  std::function<int()> signal;
};

struct RunResult {
  std::string ended;  // updates, epochs, hours, patience or signal
  RunState state;
  bool was_over = false;  // there was nothing left to do
};

class TrainingRun {
 public:
  // Goes on from the folder's checkpoint if there is one. Throws Error that names what has changed since.
  TrainingRun(Trainer& trainer, std::vector<WeightedCorpus> corpora, RunOptions options, Fingerprint fingerprint,
              RunCallbacks callbacks);

  const RunState& state() const { return state_; }
  // Whether validation is another than in the checkpoint, so that the best so far is none.
  bool validation_changed() const { return validation_changed_; }
  RunResult run();

 private:
  void restore();
  bool is_over() const;
  void update(const Portion& portion);
  bool validate();
  void save();
  void checkpoint();
  void finish(const std::string& reason);
  std::string reached_limit() const;
  double share() const;
  void update_average();
  std::span<float> weights_to_keep();
  template <class Body>
  auto with_averaged_weights(const Body& body);

  Trainer& trainer_;
  std::vector<WeightedCorpus> corpora_;
  RunOptions options_;
  Fingerprint fingerprint_;
  RunCallbacks callbacks_;
  CheckpointFolder folder_;
  RunState state_;
  bool validation_changed_ = false;
  std::vector<float> ema_;
  std::unique_ptr<TrainingLog> log_;
  LogWindow window_;
  Index skipped_in_a_row_ = 0;
  double seconds_at_checkpoint_ = 0.0;
};

}  // namespace heed
