#include "training/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/figures.h"
#include "heed/error.h"
#include "training/finite.h"

namespace heed {
namespace {

// Skipped updates leave the weights unchanged, so waiting longer would not help.
constexpr Index most_lost_in_a_row = 10;
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

Index whole_number(const std::string& text) {
  Index value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::max<Index>(value, 1);
}

}  // namespace

TrainingRun::TrainingRun(Trainer& trainer, std::vector<WeightedCorpus> corpora, RunOptions options,
                         Fingerprint fingerprint, RunCallbacks callbacks)
    : trainer_(trainer),
      corpora_(std::move(corpora)),
      options_(std::move(options)),
      fingerprint_(std::move(fingerprint)),
      callbacks_(std::move(callbacks)),
      folder_(options_.folder, trainer.model().layout(), options_.origin) {
  if (options_.ema > 0.0) ema_.assign(trainer_.model().values().begin(), trainer_.model().values().end());
  if (folder_.exists()) restore();
  if (!options_.judged_by.empty()) state_.judged_by = options_.judged_by;
  log_ = std::make_unique<TrainingLog>(options_.folder / "training" / "log.jsonl", state_.log_bytes);
  seconds_at_checkpoint_ = state_.seconds;
}

void TrainingRun::restore() {
  changes_ = folder_.changes(fingerprint_, options_.changes);
  // Keep entries that could not be checked this time, such as those of an --init model that has been deleted.
  fingerprint_.merge(folder_.load_fingerprint());
  FlatBuffers buffers = trainer_.state();
  if (!ema_.empty()) buffers[ema_prefix] = ema_;
  state_ = folder_.load(buffers);
  saved_ = state_.update;
  trainer_.restore(state_.adam_updates);
  // Drop the extra save at the end of the previous part: an uninterrupted run would not have it.
  std::erase_if(state_.saves, [&](Index update) { return !is_due(update, options_.save_every); });
  folder_.check_saves(state_.saves);
  validation_changed_ = state_.best && !options_.judged_by.empty() && state_.judged_by != options_.judged_by;
  if (!validation_changed_) return;
  state_.best.reset();
  state_.stalled = 0;
}

// Changes take effect with the checkpoint: if the run is killed before it is written, the run is as it was, and the log
// is truncated accordingly.
void TrainingRun::make_changes() {
  if (changes_.empty()) return;
  for (const SettingChange& change : changes_) {
    log_->change(state_, change);
    if (change.name != "batch-tokens") continue;
    EpochOptions before = options_.epoch;
    before.batch_tokens = whole_number(change.from);
    state_.position = same_share(corpora_, before, options_.epoch, state_.position);
  }
  checkpoint();
}

RunResult TrainingRun::run() {
  if (is_over()) return {reached_limit(), state_, true, saved_};
  state_.ended = End::not_yet;
  log_->begin(state_, options_.facts);
  make_changes();
  report();
  BatchFeed feed(corpora_, options_.epoch, options_.accumulate, state_.position);
  End reason = End::not_yet;
  while (reason == End::not_yet) {
    if (is_due(state_.update, options_.valid_every) && state_.validated < state_.update && !validate()) {
      reason = End::signal;
      break;
    }
    const bool saved = !state_.saves.empty() && state_.saves.back() == state_.update;
    const bool sound = state_.lost_in_a_row == 0;
    if (sound && state_.update > 0 && is_due(state_.update, options_.save_every) && !saved) save();
    if (sound && state_.seconds - seconds_at_checkpoint_ > 60.0 * options_.checkpoint_minutes) checkpoint();
    if (report_clock_.is_due()) report();
    reason = callbacks_.signal() != 0 ? End::signal : reached_limit();
    if (reason != End::not_yet) break;
    update(feed.next());
  }
  finish(reason);
  return {reason, state_, false, saved_};
}

// A run stopped by a signal is not over, even at a limit: the model has yet to be written. Nor is one stopped by
// --hours if a limit counted in updates now applies at the same update: that one requires a save.
bool TrainingRun::is_over() const {
  const End reached = reached_limit();
  if (state_.ended == End::not_yet || state_.ended == End::signal || reached == End::not_yet) return false;
  return state_.ended != End::hours || reached == End::hours;
}

void TrainingRun::update(const Portion& portion) {
  std::vector<Batch> batches;
  for (const BatchBuilder& builder : portion.batches) batches.push_back(builder.batch());
  state_.position = portion.after;
  epoch_batches_ = portion.epoch_batches;
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
  perplexity_is_finite_ = std::isfinite(std::exp(report.plain_per_token()));
  state_.lost_in_a_row = report.skipped || !perplexity_is_finite_ ? state_.lost_in_a_row + 1 : 0;
  window_.skipped += report.skipped ? 1 : 0;
  if (!report.skipped) {
    window_.loss += report.loss;
    window_.gradient_norm = report.gradient_norm;
  }
  window_.learning_rate = report.learning_rate;
  if (is_due(state_.update, options_.log_every)) {
    log_->update(state_, window_, progress());
    window_ = {};
  } else {
    log_->tick(state_, window_, progress());
  }
  if (state_.lost_in_a_row >= most_lost_in_a_row) diverge(lost_updates());
}

std::string TrainingRun::lost_updates() const {
  return fmt::format("the gradient or the perplexity has not been finite since update {} ({})",
                     state_.update - state_.lost_in_a_row + 1, counted(state_.lost_in_a_row, "update"));
}

// A single overflowing gradient may be one odd batch of a healthy run.
bool TrainingRun::ends_diverged() const { return state_.lost_in_a_row > 1 || !perplexity_is_finite_; }

void TrainingRun::check_finite() {
  FlatBuffers buffers = trainer_.state();
  if (!ema_.empty()) buffers[ema_prefix] = ema_;
  for (const auto& [prefix, values] : buffers) {
    if (all_finite(values, trainer_.workspace())) continue;
    diverge(fmt::format("the {} are not finite after update {}",
                        prefix.starts_with("adam.") ? "optimiser's moments" : "weights", state_.update));
  }
}

void TrainingRun::diverge(const std::string& how) {
  const std::string rate = fmt::format("{:.3g}", trainer_.peak_rate());
  const std::string remedy =
      saved_ ? fmt::format(
                   "the checkpoint of update {} is kept: resume it with --change and a --learning-rate below "
                   "{}, or train again with --restart and a lower --learning-rate, a longer --warmup or --clip",
                   *saved_, rate)
             : fmt::format(
                   "there is no checkpoint yet: train again with a --learning-rate below {}, a longer --warmup "
                   "or --clip",
                   rate);
  const std::string message = fmt::format("training diverged: {}; {}", how, remedy);
  log_->end(state_, End::diverged, message);
  report();
  throw Error(fmt::format("'{}': {}", options_.folder.string(), message));
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

// Runs the body with the exponential moving average in the model, if there is one.
template <class Body>
auto TrainingRun::with_averaged_weights(const Body& body) {
  if (ema_.empty()) return body();
  const std::vector<float> own(trainer_.model().values().begin(), trainer_.model().values().end());
  trainer_.set_values(ema_);
  auto result = body();
  trainer_.set_values(own);
  return result;
}

std::span<float> TrainingRun::weights_to_keep() { return ema_.empty() ? trainer_.weights() : std::span(ema_); }

bool TrainingRun::validate() {
  const Stopwatch run_clock(state_.seconds);
  check_finite();
  const std::optional<Validation> validation = with_averaged_weights(callbacks_.validate);
  if (!validation) return false;
  if (!std::isfinite(validation->cost) || !std::isfinite(validation->perplexity)) {
    diverge(fmt::format("the validation perplexity is not finite at update {}", state_.update));
  }
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
  report();
  return true;
}

// The order of the steps matters: if the run is killed at any point, the current checkpoint names only saves that
// exist, and the resumed run writes the rest again.
void TrainingRun::save() {
  const Stopwatch run_clock(state_.seconds);
  check_finite();
  // A model without a checkpoint would not be recognised as this run's.
  if (!folder_.exists()) checkpoint();
  folder_.add_save(weights_to_keep(), state_.update);
  state_.saves.push_back(state_.update);
  const auto most = static_cast<std::size_t>(std::max({options_.keep, options_.average, Index{1}}));
  std::vector<Index> pruned = state_.saves;
  while (state_.saves.size() > most) state_.saves.erase(state_.saves.begin());
  const auto averaged = std::min(state_.saves.size(), static_cast<std::size_t>(std::max<Index>(options_.average, 1)));
  folder_.write_average(std::span(state_.saves).last(averaged));
  checkpoint();
  // Keep the saves named by the previous checkpoint as well, since it may still be needed.
  folder_.prune_saves(pruned);
}

void TrainingRun::checkpoint() {
  check_finite();
  state_.log_bytes = log_->bytes();
  FlatBuffers buffers = trainer_.state();
  if (!ema_.empty()) buffers[ema_prefix] = ema_;
  folder_.save(buffers, state_, fingerprint_);
  saved_ = state_.update;
  seconds_at_checkpoint_ = state_.seconds;
}

// If a signal stops the run while updates are being lost, the old checkpoint is kept; resuming repeats those updates.
void TrainingRun::finish(End reason) {
  const bool stopped = reason == End::signal;
  const bool keeps_checkpoint = stopped && state_.lost_in_a_row > 0;
  if (!stopped && ends_diverged()) diverge(lost_updates());
  if (!keeps_checkpoint) check_finite();
  const bool counted = reason == End::updates || reason == End::epochs || reason == End::patience;
  const bool saved = !state_.saves.empty() && state_.saves.back() == state_.update;
  if (!stopped && !folder_.exists()) checkpoint();
  state_.ended = reason;
  log_->end(state_, reason);
  if (counted && !saved && state_.update > 0) {
    save();
  } else {
    // The checkpoint that marks the run as ended comes last: if killed before it, the same command gets here again.
    if (!stopped && state_.saves.empty()) folder_.write_model(weights_to_keep(), state_.update);
    if (!keeps_checkpoint) checkpoint();
  }
  report();
}

void TrainingRun::report() {
  report_clock_.write([&] { callbacks_.report(*log_, report_clock_.news_lasts()); });
}

End TrainingRun::reached_limit() const {
  const RunLimits& limits = options_.limits;
  if (limits.updates > 0 && state_.update >= limits.updates) return End::updates;
  if (limits.epochs > 0 && state_.position.epoch > limits.epochs) return End::epochs;
  if (limits.patience > 0 && state_.stalled >= limits.patience) return End::patience;
  if (limits.hours > 0.0 && state_.seconds >= 3600.0 * limits.hours) return End::hours;
  return End::not_yet;
}

double TrainingRun::share() const {
  const RunLimits& limits = options_.limits;
  double share = 0.0;
  if (limits.updates > 0) share = static_cast<double>(state_.update) / static_cast<double>(limits.updates);
  if (limits.epochs > 0) {
    const double part =
        static_cast<double>(state_.position.batch) / static_cast<double>(std::max<Index>(epoch_batches_, 1));
    const double epochs = static_cast<double>(state_.position.epoch - 1) + std::min(part, 1.0);
    share = std::max(share, epochs / static_cast<double>(limits.epochs));
  }
  if (limits.hours > 0.0) share = std::max(share, state_.seconds / (3600.0 * limits.hours));
  return std::min(share, 1.0);
}

// The first update since the start or resume is not counted: it also allocates memory.
RunProgress TrainingRun::progress() {
  RunProgress now{share(), {}};
  if (!first_progress_) first_progress_ = {now.share, state_.seconds};
  const auto [share, seconds] = *first_progress_;
  if (now.share > share) now.seconds_left = (state_.seconds - seconds) * (1.0 - now.share) / (now.share - share);
  return now;
}

}  // namespace heed
