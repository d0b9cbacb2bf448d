// A whole training run: updates, validation, saves and limits, in a folder from which it can be resumed at any time.
//
// Everything that affects the weights is counted in updates: timed checkpoints, limits in hours and the number of
// threads never change the result.
//
// A run has diverged when ten updates in a row have a gradient or perplexity that is not finite, when it ends with such
// updates, or when the validation loss or the weights are not finite. It then throws Error. While updates are being
// lost, no checkpoint or save is written, so the files on disk stay valid.
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

// 0: no limit.
struct RunLimits {
  Index updates = 0;
  Index epochs = 0;
  double hours = 0.0;
  Index patience = 0;  // early stopping: validations without a new best
};

struct RunOptions {
  std::filesystem::path folder;
  EpochOptions epoch{};
  Index accumulate = 5;  // gradient accumulation: batches per update
  RunLimits limits{};
  Index valid_every = 1000;
  Index save_every = 1000;
  Index keep = 0;     // saves kept on disk, at least those that are averaged
  Index average = 5;  // last saves averaged into model.safetensors
  Index log_every = 50;
  double ema = 0.0;                    // decay of the exponential moving average of the weights; 0: none
  double checkpoint_minutes = 10.0;    // by the clock, in addition to saves
  WeightFacts origin = {};             // added to the metadata of every weights file
  std::string judged_by = {};          // validation settings; if they change, the best score so far is reset
  Changes changes = Changes::refused;  // whether changeable settings may change on resume
  RunFacts facts = {};
};

struct RunCallbacks {
  // Validates the current model; nullopt if interrupted by a signal.
  std::function<std::optional<Validation>()> validate;
  // The score for "best" and patience; larger is better.
  std::function<double(const Validation&)> quality;
  // Called at the start, after each validation, about every minute and at the end, with the log up to date. If the
  // report is not rewritten within `seconds`, the run has probably died.
  std::function<void(const TrainingLog&, double seconds)> report;
  // The signal received; 0: none.
  std::function<int()> signal;
};

struct RunResult {
  End ended = End::not_yet;  // of a run that had ended before: the limit that holds it now
  RunState state;
  bool was_over = false;       // the run had ended before
  std::optional<Index> saved;  // the update of the checkpoint on disk
};

class TrainingRun {
 public:
  // Resumes from the folder's checkpoint if there is one. Throws Error that names a setting that has changed.
  TrainingRun(Trainer& trainer, std::vector<WeightedCorpus> corpora, RunOptions options, Fingerprint fingerprint,
              RunCallbacks callbacks);

  const RunState& state() const { return state_; }
  // Whether the validation settings differ from the checkpoint's, so that the best score is reset.
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
  std::optional<Index> saved_;        // the update of the checkpoint on disk
  bool perplexity_is_finite_ = true;  // of the last update
  Index epoch_batches_ = 0;           // in the current epoch; 0: not yet known
  std::optional<std::pair<double, double>>
      first_progress_;  // share and seconds after the first update since the start or resume
  double seconds_at_checkpoint_ = 0.0;
  ReportClock report_clock_;
};

}  // namespace heed
