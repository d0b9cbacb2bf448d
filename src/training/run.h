// A whole training run: updates, validation, saves and limits, in a folder that it can always be resumed from.
//
// What enters the weights is counted in updates: saves by the clock, limits in hours and the number of threads change
// when a run pauses, never what it computes.
//
// A run diverges when ten updates in a row have a gradient or a perplexity that is not finite, when it ends with such
// updates, or when validation or the weights are not finite. It then throws Error, and no file holds any of that: while
// updates are lost, no checkpoint and no save is written.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "training/batch_feed.h"
#include "training/checkpoint.h"
#include "training/log.h"
#include "training/report_clock.h"
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
  double ema = 0.0;                    // decay of an exponential average of the weights; 0: none
  double checkpoint_minutes = 10.0;    // by the clock, beside the saves
  WeightFacts origin = {};             // joins the metadata of every file of weights
  std::string judged_by = {};          // data, metric and search of validation: where they change, there is no best yet
  Changes changes = Changes::refused;  // whether settings that may change do so at a resume
  RunFacts facts = {};
};

struct RunCallbacks {
  // Validates the model as it stands; nothing when a signal came in between.
  std::function<std::optional<Validation>()> validate;
  // Larger is better: what "best" and patience go by.
  std::function<double(const Validation&)> quality;
  // At the start, after a validation, every minute or so and at the end, once the log is up to date. If the report is
  // not written again within `seconds`, the run is probably gone.
  std::function<void(const TrainingLog&, double seconds)> report;
  // The signal that asks for an end; 0: none.
  std::function<int()> signal;
};

struct RunResult {
  End ended = End::not_yet;
  RunState state;
  bool was_over = false;       // there was nothing left to do
  std::optional<Index> saved;  // the update of the checkpoint on the disk
};

class TrainingRun {
 public:
  // Resumes from the folder's checkpoint if there is one. Throws Error that names what has changed since.
  TrainingRun(Trainer& trainer, std::vector<WeightedCorpus> corpora, RunOptions options, Fingerprint fingerprint,
              RunCallbacks callbacks);

  const RunState& state() const { return state_; }
  // Whether validation is another than in the checkpoint, so that the best so far is none.
  bool validation_changed() const { return validation_changed_; }
  // Whether run() has nothing left to do.
  bool is_over() const;
  RunResult run();

 private:
  void restore();
  void make_changes();
  void update(const Portion& portion);
  bool validate();
  void save();
  void checkpoint();
  void finish(End reason);
  void report();
  void check_finite();
  bool ends_diverged() const;
  std::string lost_updates() const;
  [[noreturn]] void diverge(const std::string& how);
  End reached_limit() const;
  double share() const;
  RunProgress progress();
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
  std::vector<SettingChange> changes_;
  std::optional<Index> saved_;                               // the update of the checkpoint on the disk
  bool perplexity_is_finite_ = true;                         // of the last update
  Index epoch_batches_ = 0;                                  // of the epoch that the run is in; 0: not yet known
  std::optional<std::pair<double, double>> first_progress_;  // share and seconds after the first update of this part
  double seconds_at_checkpoint_ = 0.0;
  ReportClock report_clock_;
};

}  // namespace heed
