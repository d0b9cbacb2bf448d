// The files of a run: checkpoints to resume from, saves to average, and the best weights.
//
//   training/checkpoint.safetensors      weights, moments and RunState: resumed from
//   training/previous.safetensors        the checkpoint before, in case the last one is damaged
//   training/saves/update-N.safetensors  weights at every save, for averaging
//   training/best.safetensors            weights with the best validation score
//   model.safetensors                    average of the last saves, loaded by translate
//
// Every file is replaced atomically, and in an order that leaves the run resumable at any moment.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "training/batch_feed.h"
#include "training/fingerprint.h"
#include "training/trainer.h"

namespace heed {

// Why a run has ended; the names are used in files and logs.
enum class End { not_yet, updates, epochs, hours, patience, signal, diverged };
template <>
struct EnumNames<End> {
  static constexpr std::array names{"", "updates", "epochs", "hours", "patience", "signal", "diverged"};
};

struct RunState {
  Index update = 0;         // so far, including skipped ones
  Index adam_updates = 0;   // so far, without skipped ones
  Index lost_in_a_row = 0;  // latest consecutive updates whose gradient or perplexity was not finite
  DataPosition position{};  // the next batch
  Index sentences = 0;
  Index tokens = 0;      // of the target
  double seconds = 0.0;  // of training, including validation and saves
  Index validated = 0;   // the update of the last validation
  std::optional<double> best;
  Index best_update = 0;
  Index stalled = 0;         // validations since the best
  std::string judged_by;     // the validation settings that `best` refers to
  std::vector<Index> saves;  // updates whose weights are in saves/, oldest first
  std::uintmax_t log_bytes = 0;
  End ended = End::not_yet;

  // The epoch of the last update.
  Index epoch() const { return position.batch == 0 && update > 0 ? position.epoch - 1 : position.epoch; }
};

// Whether the folder of a model holds a run to resume.
bool has_run(const std::filesystem::path& model_folder);

enum class Changes { refused, allowed };  // of the settings that may change

class CheckpointFolder {
 public:
  // `origin` is added to the metadata of every weights file. Without a layout only metadata can be read.
  explicit CheckpointFolder(std::filesystem::path model_folder, Layout layout = {}, WeightFacts origin = {});

  bool exists() const;
  // Reads checkpoint.safetensors, or previous.safetensors if a crash left only that. If it is damaged, throws Error
  // that says how to resume from the previous one.
  RunState load(const FlatBuffers& buffers) const;
  // The state of the run, from the metadata alone.
  RunState progress() const;
  // The settings that the checkpoint was made with.
  Fingerprint load_fingerprint() const;
  // The settings that differ from the checkpoint's. Throws Error that names the first difference that is not allowed.
  std::vector<SettingChange> changes(const Fingerprint& now, Changes changes) const;
  void save(const FlatBuffers& buffers, const RunState& state, const Fingerprint& fingerprint) const;

  void save_best(std::span<float> weights, Index update) const;
  void add_save(std::span<float> weights, Index update) const;
  // Writes the average of these saves to model.safetensors.
  void write_average(std::span<const Index> updates) const;
  void write_model(std::span<float> weights, Index update) const;
  // Throws Error if one of these saves is missing or damaged.
  void check_saves(std::span<const Index> updates) const;
  // Removes all other saves.
  void prune_saves(std::span<const Index> updates) const;

 private:
  std::filesystem::path current() const { return training_ / "checkpoint.safetensors"; }
  std::filesystem::path previous() const { return training_ / "previous.safetensors"; }
  std::filesystem::path newest() const;
  Metadata metadata() const;
  std::string remedy(const std::filesystem::path& file) const;
  [[noreturn]] void no_checkpoint(const std::filesystem::path& file, const std::exception& reason) const;

  void write(const std::filesystem::path& file, const FlatBuffers& buffers, WeightFacts facts) const;

  std::filesystem::path folder_;
  std::filesystem::path training_;
  Layout layout_;
  WeightFacts origin_;
};

}  // namespace heed
