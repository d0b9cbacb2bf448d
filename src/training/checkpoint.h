// What a run keeps on the disk so that nothing is lost: checkpoints to go on from, saves to average, the best weights.
//
//   training/checkpoint.safetensors    weights, moments and RunState: where the run goes on
//   training/previous.safetensors      the checkpoint before that, should the last one be spoilt
//   training/saves/update-N.safetensors  weights at every save, for the average
//   training/best.safetensors          weights of the best validation
//   model.safetensors                  the average of the last saves: what translate loads
//
// Every file is replaced in one step, and in an order that leaves a run to go on from at any moment.
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

// Why a run has ended; files and logs spell these names.
enum class End { not_yet, updates, epochs, hours, patience, signal, diverged };
template <>
struct EnumNames<End> {
  static constexpr std::array names{"", "updates", "epochs", "hours", "patience", "signal", "diverged"};
};

struct RunState {
  Index update = 0;         // tried so far, with those that were skipped
  Index adam_updates = 0;   // made so far
  Index lost_in_a_row = 0;  // the last updates whose gradient or perplexity was not finite
  DataPosition position{};  // the next batch
  Index sentences = 0;
  Index tokens = 0;      // of the target
  double seconds = 0.0;  // at work, with validations and saves
  Index validated = 0;   // the update of the last validation
  std::optional<double> best;
  Index best_update = 0;
  Index stalled = 0;         // validations since the best
  std::string judged_by;     // how they were made
  std::vector<Index> saves;  // updates whose weights stand in saves/, oldest first
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
  // `origin` joins the metadata of every file of weights. Without a layout only the metadata can be read.
  explicit CheckpointFolder(std::filesystem::path model_folder, Layout layout = {}, WeightFacts origin = {});

  bool exists() const;
  // Reads checkpoint.safetensors, or previous.safetensors when a crash left only that. Throws Error when it is spoilt,
  // and says how to go on from the one before.
  RunState load(const FlatBuffers& buffers) const;
  // Where the run stands, from the metadata alone.
  RunState progress() const;
  // What the checkpoint was made with.
  Fingerprint load_fingerprint() const;
  // What differs from the run as the checkpoint has it, all of it allowed. Throws Error that names the first thing that
  // may not differ.
  std::vector<SettingChange> changes(const Fingerprint& now, Changes changes) const;
  void save(const FlatBuffers& buffers, const RunState& state, const Fingerprint& fingerprint) const;

  void save_best(std::span<float> weights, Index update) const;
  void add_save(std::span<float> weights, Index update) const;
  // model.safetensors becomes the average of these saves.
  void write_average(std::span<const Index> updates) const;
  void write_model(std::span<float> weights, Index update) const;
  // Throws Error when one of these saves is missing or spoilt.
  void check_saves(std::span<const Index> updates) const;
  // Removes the saves that are not among these.
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
