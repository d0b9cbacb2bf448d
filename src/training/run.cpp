#include "training/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "heed/error.h"

namespace heed {
namespace {

constexpr Index most_skipped_in_a_row = 100;
constexpr const char* ema_prefix = "ema.";

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_;
};

bool is_due(Index update, Index every) { return every > 0 && update % every == 0; }

}  // namespace

TrainingRun::TrainingRun(Trainer& trainer, std::vector<WeightedCorpus> corpora, RunOptions options,
                         Fingerprint fingerprint, RunCallbacks callbacks)
    : trainer_(trainer),
      corpora_(std::move(corpora)),
      options_(std::move(options)),
      fingerprint_(std::move(fingerprint)),
      callbacks_(std::move(callbacks)),
      folder_(options_.folder, trainer.model().config(), options_.origin) {
  if (options_.ema > 0.0) ema_.assign(trainer_.model().values().begin(), trainer_.model().values().end());
  if (folder_.exists()) restore();
  if (!options_.judged_by.empty()) state_.judged_by = options_.judged_by;
  log_ = std::make_unique<TrainingLog>(options_.folder / "training" / "log.jsonl", state_.log_bytes);
  seconds_at_checkpoint_ = state_.seconds;
}

void TrainingRun::restore() {
  folder_.check_unchanged(fingerprint_);
  // What could not be looked at this time, as a model that training began from and that is gone, stays on record.
  fingerprint_.merge(folder_.load_fingerprint());
  FlatBuffers buffers = trainer_.state();
  if (!ema_.empty()) buffers[ema_prefix] = ema_;
  state_ = folder_.load(buffers);
  trainer_.restore(state_.adam_updates);
  // The save of an end that was no round number would not be there, had the run been longer.
  std::erase_if(state_.saves, [&](Index update) { return !is_due(update, options_.save_every); });
  folder_.check_saves(state_.saves);
  validation_changed_ = state_.best && !options_.judged_by.empty() && state_.judged_by != options_.judged_by;
  if (!validation_changed_) return;
  state_.best.reset();
  state_.stalled = 0;
}

RunResult TrainingRun::run() {
  if (is_over()) return {state_.ended, state_, true};
  state_.ended.clear();
  log_->begin(state_);
  BatchFeed feed(corpora_, options_.epoch, options_.accumulate, state_.position);
  std::string reason;
  while (reason.empty()) {
    if (is_due(state_.update, options_.valid_every) && state_.validated < state_.update && !validate()) {
      reason = "signal";
      break;
    }
    const bool saved = !state_.saves.empty() && state_.saves.back() == state_.update;
    if (state_.update > 0 && is_due(state_.update, options_.save_every) && !saved) save();
    if (state_.seconds - seconds_at_checkpoint_ > 60.0 * options_.checkpoint_minutes) checkpoint();
    reason = callbacks_.signal() != 0 ? "signal" : reached_limit();
    if (!reason.empty()) break;
    update(feed.next());
  }
  finish(reason);
  return {reason, state_, false};
}

// A signal ends nothing: the limit may have been reached with it, and then the model has still to be written. Nor does
// the clock, where a limit that is counted in updates has come to stand at the same place: that one owes a save.
bool TrainingRun::is_over() const {
  const std::string reached = reached_limit();
  if (state_.ended.empty() || state_.ended == "signal" || reached.empty()) return false;
  return state_.ended != "hours" || reached == "hours";
}

void TrainingRun::update(const Portion& portion) {
  std::vector<Batch> batches;
  for (const BatchBuilder& builder : portion.batches) batches.push_back(builder.batch());
  state_.position = portion.after;
  if (batches.empty()) return;
  UpdateReport report;
  {
    const Stopwatch run_clock(state_.seconds);
    const Stopwatch window_clock(window_.seconds);
    report = trainer_.update(batches);
    if (!report.skipped) update_average();
  }
  ++state_.update;
  state_.adam_updates = trainer_.updates();
  for (const Batch& batch : batches) state_.sentences += batch.source.sentences();
  state_.tokens += report.loss.tokens;
  skipped_in_a_row_ = report.skipped ? skipped_in_a_row_ + 1 : 0;
  window_.skipped += report.skipped ? 1 : 0;
  if (skipped_in_a_row_ == most_skipped_in_a_row) {
    throw Error(
        fmt::format("the gradient was not finite in {} updates in a row; begin anew with --restart and a lower "
                    "--learning-rate or with --clip",
                    most_skipped_in_a_row));
  }
  if (!report.skipped) window_.loss += report.loss;
  window_.gradient_norm = report.gradient_norm;
  window_.learning_rate = report.learning_rate;
  if (is_due(state_.update, options_.log_every)) {
    log_->update(state_, window_, share());
    window_ = {};
  } else {
    log_->tick(state_, window_, share());
  }
}

void TrainingRun::update_average() {
  if (ema_.empty()) return;
  const auto decay = static_cast<float>(options_.ema);
  const std::span<const float> values = trainer_.model().values();
  for_row_blocks(trainer_.workspace(), static_cast<Index>(ema_.size()), [&](Index first, Index count) noexcept {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(first + count); ++i) {
      ema_[i] = decay * ema_[i] + (1.0f - decay) * values[i];
    }
  });
}

// Runs the body with the exponential average in the model, if there is one.
template <class Body>
auto TrainingRun::with_averaged_weights(const Body& body) {
  if (ema_.empty()) return body();
  const std::vector<float> own(trainer_.model().values().begin(), trainer_.model().values().end());
  trainer_.set_values(ema_);
  const auto result = body();
  trainer_.set_values(own);
  return result;
}

std::span<float> TrainingRun::weights_to_keep() { return ema_.empty() ? trainer_.state().at("") : std::span(ema_); }

bool TrainingRun::validate() {
  const Stopwatch run_clock(state_.seconds);
  const std::optional<Validation> validation = with_averaged_weights(callbacks_.validate);
  if (!validation) return false;
  const double quality = callbacks_.quality(*validation);
  const bool best = !state_.best || quality > *state_.best;
  state_.validated = state_.update;
  state_.stalled = best ? 0 : state_.stalled + 1;
  if (best) {
    state_.best = quality;
    state_.best_update = state_.update;
    folder_.save_best(weights_to_keep(), state_.update);
  }
  log_->validation(state_, *validation, best);
  callbacks_.report(*log_);
  return true;
}

// The order of the steps matters: whatever a kill leaves behind, the checkpoint that stands names only saves that are
// there, and going on from it writes the rest again.
void TrainingRun::save() {
  const Stopwatch run_clock(state_.seconds);
  // A model without a checkpoint beside it is somebody's, not a run's.
  if (!folder_.exists()) checkpoint();
  folder_.add_save(weights_to_keep(), state_.update);
  state_.saves.push_back(state_.update);
  const auto most = static_cast<std::size_t>(std::max({options_.keep, options_.average, Index{1}}));
  std::vector<Index> pruned = state_.saves;
  while (state_.saves.size() > most) state_.saves.erase(state_.saves.begin());
  const auto averaged = std::min(state_.saves.size(), static_cast<std::size_t>(std::max<Index>(options_.average, 1)));
  folder_.write_average(std::span(state_.saves).last(averaged));
  checkpoint();
  // Also those that the checkpoint before names, since it may still be needed.
  folder_.prune_saves(pruned);
}

void TrainingRun::checkpoint() {
  state_.log_bytes = log_->bytes();
  FlatBuffers buffers = trainer_.state();
  if (!ema_.empty()) buffers[ema_prefix] = ema_;
  folder_.save(buffers, state_, fingerprint_);
  seconds_at_checkpoint_ = state_.seconds;
}

void TrainingRun::finish(const std::string& reason) {
  const bool counted = reason == "updates" || reason == "epochs" || reason == "patience";
  const bool saved = !state_.saves.empty() && state_.saves.back() == state_.update;
  if (reason != "signal" && !folder_.exists()) checkpoint();
  state_.ended = reason;
  log_->end(state_, reason);
  if (counted && !saved && state_.update > 0) {
    save();
  } else {
    // The checkpoint that says the run is over comes last: killed before it, the same command comes here again.
    if (reason != "signal" && state_.saves.empty()) folder_.write_model(weights_to_keep(), state_.update);
    checkpoint();
  }
  callbacks_.report(*log_);
}

std::string TrainingRun::reached_limit() const {
  const RunLimits& limits = options_.limits;
  if (limits.updates > 0 && state_.update >= limits.updates) return "updates";
  if (limits.epochs > 0 && state_.position.epoch > limits.epochs) return "epochs";
  if (limits.patience > 0 && state_.stalled >= limits.patience) return "patience";
  if (limits.hours > 0.0 && state_.seconds >= 3600.0 * limits.hours) return "hours";
  return {};
}

double TrainingRun::share() const {
  const RunLimits& limits = options_.limits;
  double share = 0.0;
  if (limits.updates > 0) share = static_cast<double>(state_.update) / static_cast<double>(limits.updates);
  if (limits.epochs > 0) {
    share = std::max(share, static_cast<double>(state_.position.epoch - 1) / static_cast<double>(limits.epochs));
  }
  if (limits.hours > 0.0) share = std::max(share, state_.seconds / (3600.0 * limits.hours));
  return std::min(share, 1.0);
}

}  // namespace heed
