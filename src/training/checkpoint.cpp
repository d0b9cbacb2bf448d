#include "training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_values.h"
#include "base/one_line.h"
#include "heed/error.h"
#include "model/safetensors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::string to_text(const RunState& s) {
  const nlohmann::ordered_json json{{"update", s.update},
                                    {"adam_updates", s.adam_updates},
                                    {"lost_in_a_row", s.lost_in_a_row},
                                    {"epoch", s.position.epoch},
                                    {"batch", s.position.batch},
                                    {"sentences", s.sentences},
                                    {"tokens", s.tokens},
                                    {"seconds", s.seconds},
                                    {"validated", s.validated},
                                    {"best", s.best ? nlohmann::ordered_json(*s.best) : nlohmann::ordered_json()},
                                    {"best_update", s.best_update},
                                    {"stalled", s.stalled},
                                    {"judged_by", s.judged_by},
                                    {"saves", s.saves},
                                    {"log_bytes", s.log_bytes},
                                    {"ended", name_of(s.ended)}};
  return json.dump();
}

// Counters are never negative, nor so large that adding to them could overflow.
Index counter_at(const nlohmann::json& json, const char* name) {
  constexpr Index most = Index{1} << 53;
  const Index value = whole_number_at(json, name);
  if (value < 0 || value > most) throw Error(fmt::format("{} is {}, which is out of range", name, value));
  return value;
}

double seconds_at(const nlohmann::json& json, const char* name) {
  const double value = number_at(json, name);
  if (!(value >= 0.0 && value < 1e12)) throw Error(fmt::format("{} is {}, which is out of range", name, value));
  return value;
}

RunState state_from(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  RunState s;
  s.update = counter_at(json, "update");
  s.adam_updates = counter_at(json, "adam_updates");
  if (json.contains("lost_in_a_row")) s.lost_in_a_row = counter_at(json, "lost_in_a_row");
  s.position = {counter_at(json, "epoch"), counter_at(json, "batch")};
  s.sentences = counter_at(json, "sentences");
  s.tokens = counter_at(json, "tokens");
  s.seconds = seconds_at(json, "seconds");
  s.validated = counter_at(json, "validated");
  if (!value_at(json, "best").is_null()) s.best = number_at(json, "best");
  s.best_update = counter_at(json, "best_update");
  s.stalled = counter_at(json, "stalled");
  s.judged_by = text_at(json, "judged_by");
  s.saves = whole_numbers_at(json, "saves");
  s.log_bytes = static_cast<std::uintmax_t>(counter_at(json, "log_bytes"));
  s.ended = from_name<End>("ended", text_at(json, "ended"));
  return s;
}

WeightFacts update_fact(Index update) { return {{"update", std::to_string(update)}}; }

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path model_folder, Layout layout, WeightFacts origin)
    : folder_(std::move(model_folder)),
      training_(folder_ / "training"),
      layout_(std::move(layout)),
      origin_(std::move(origin)) {}

void CheckpointFolder::write(const fs::path& file, const FlatBuffers& buffers, WeightFacts facts) const {
  facts.insert(origin_.begin(), origin_.end());
  write_weights(file, layout_, buffers, facts);
}

fs::path CheckpointFolder::newest() const { return file_exists(current()) ? current() : previous(); }

bool CheckpointFolder::exists() const { return file_exists(newest()); }

bool has_run(const fs::path& model_folder) { return CheckpointFolder(model_folder).exists(); }

std::string CheckpointFolder::remedy(const fs::path& file) const {
  if (file == current() && file_exists(previous())) {
    return fmt::format("to resume from the previous checkpoint ('{}'), move the damaged one away", previous().string());
  }
  return "restore it from a copy, or train from scratch with --restart";
}

void CheckpointFolder::no_checkpoint(const fs::path& file, const std::exception& reason) const {
  throw Error(
      fmt::format("'{}' is not a valid checkpoint ({}); {}", file.string(), one_line(reason.what()), remedy(file)));
}

RunState CheckpointFolder::load(const FlatBuffers& buffers) const {
  const fs::path file = newest();
  WeightFacts facts;
  try {
    facts = read_weights(file, layout_, buffers, Verify::checksum);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; {}", error.what(), remedy(file)));
  }
  try {
    return state_from(facts["progress"]);
  } catch (const std::exception& reason) {
    no_checkpoint(file, reason);
  }
}

Metadata CheckpointFolder::metadata() const {
  const fs::path file = newest();
  try {
    return Safetensors(file).metadata();
  } catch (const Error& error) {
    throw Error(fmt::format("{}; {}", error.what(), remedy(file)));
  }
}

RunState CheckpointFolder::progress() const {
  try {
    return state_from(metadata()["progress"]);
  } catch (const std::exception& reason) {
    no_checkpoint(newest(), reason);
  }
}

Fingerprint CheckpointFolder::load_fingerprint() const {
  try {
    const auto json = nlohmann::json::parse(metadata()["fingerprint"], nullptr, false);
    if (!json.is_object()) throw Error("fingerprint is missing");
    Fingerprint fingerprint;
    for (const auto& [name, value] : json.items()) fingerprint[name] = text_at(json, name.c_str());
    return fingerprint;
  } catch (const std::exception& reason) {
    no_checkpoint(newest(), reason);
  }
}

std::vector<SettingChange> CheckpointFolder::changes(const Fingerprint& now, Changes changes) const {
  std::vector<SettingChange> found = differences(load_fingerprint(), now);
  for (const SettingChange& change : found) {
    const bool may_change = is_changeable(change.name);
    if (may_change && changes == Changes::allowed) continue;
    throw Error(fmt::format("'{}': {} was {} and is now {}; {}", folder_.string(), flag_name(change.name),
                            one_line(change.from), one_line(change.to),
                            may_change ? "omit the flag, or add --change to change it from here on"
                                       : "change it back, train from scratch with --restart, or start a new model "
                                         "with --init"));
  }
  return found;
}

void CheckpointFolder::save(const FlatBuffers& buffers, const RunState& state, const Fingerprint& fingerprint) const {
  const fs::path next = training_ / "next.safetensors";
  write(next, buffers, {{"progress", to_text(state)}, {"fingerprint", nlohmann::ordered_json(fingerprint).dump()}});
  // If the process is killed between the two renames, newest() finds the previous checkpoint.
  if (file_exists(current())) rename_file(current(), previous());
  rename_file(next, current());
}

void CheckpointFolder::save_best(std::span<float> weights, Index update) const {
  write(training_ / "best.safetensors", {{"", weights}}, update_fact(update));
}

void CheckpointFolder::add_save(std::span<float> weights, Index update) const {
  make_folder(training_ / "saves");
  write(save_file(folder_, update), {{"", weights}}, update_fact(update));
}

void CheckpointFolder::write_model(std::span<float> weights, Index update) const {
  write(folder_ / "model.safetensors", {{"", weights}}, update_fact(update));
}

void CheckpointFolder::write_average(std::span<const Index> updates) const {
  std::vector<fs::path> files;
  for (const Index update : updates) files.push_back(save_file(folder_, update));
  std::vector<float> weights = average_weights(files, layout_, Verify::checksum);
  write(folder_ / "model.safetensors", {{"", weights}},
        {{"average_of_updates", fmt::format("{}", fmt::join(updates, " "))}});
}

void CheckpointFolder::check_saves(std::span<const Index> updates) const {
  for (const Index update : updates) {
    const fs::path file = save_file(folder_, update);
    try {
      average_weights({&file, 1}, layout_, Verify::checksum);
    } catch (const Error& error) {
      throw Error(fmt::format("{}; {}", error.what(), remedy(file)));
    }
  }
}

void CheckpointFolder::prune_saves(std::span<const Index> updates) const {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(training_ / "saves", error)) {
    const bool wanted = std::any_of(updates.begin(), updates.end(),
                                    [&](Index update) { return entry.path() == save_file(folder_, update); });
    if (!wanted) fs::remove(entry.path(), error);
  }
}

}  // namespace heed
