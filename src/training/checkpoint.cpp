#include "training/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "heed/error.h"
#include "model/safetensors.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::string to_text(const RunState& s) {
  const nlohmann::ordered_json json{{"update", s.update},
                                    {"adam_updates", s.adam_updates},
                                    {"epoch", s.position.epoch},
                                    {"batch", s.position.batch},
                                    {"sentences", s.sentences},
                                    {"tokens", s.tokens},
                                    {"seconds", s.seconds},
                                    {"validated", s.validated},
                                    {"best", s.best ? nlohmann::ordered_json(*s.best) : nlohmann::ordered_json()},
                                    {"best_update", s.best_update},
                                    {"stalled", s.stalled},
                                    {"saves", s.saves},
                                    {"log_bytes", s.log_bytes},
                                    {"ended", s.ended}};
  return json.dump();
}

RunState state_from(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  RunState s;
  json.at("update").get_to(s.update);
  json.at("adam_updates").get_to(s.adam_updates);
  json.at("epoch").get_to(s.position.epoch);
  json.at("batch").get_to(s.position.batch);
  json.at("sentences").get_to(s.sentences);
  json.at("tokens").get_to(s.tokens);
  json.at("seconds").get_to(s.seconds);
  json.at("validated").get_to(s.validated);
  if (!json.at("best").is_null()) s.best = json.at("best").get<double>();
  json.at("best_update").get_to(s.best_update);
  json.at("stalled").get_to(s.stalled);
  json.at("saves").get_to(s.saves);
  json.at("log_bytes").get_to(s.log_bytes);
  json.at("ended").get_to(s.ended);
  return s;
}

WeightFacts update_fact(Index update) { return {{"update", std::to_string(update)}}; }

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path model_folder, const Config& config)
    : folder_(std::move(model_folder)), training_(folder_ / "training"), config_(config) {}

fs::path CheckpointFolder::newest() const { return fs::exists(current()) ? current() : previous(); }

bool CheckpointFolder::exists() const { return fs::exists(newest()); }

fs::path CheckpointFolder::save_file(Index update) const {
  return training_ / "saves" / fmt::format("update-{}.safetensors", update);
}

std::string CheckpointFolder::remedy(const fs::path& file) const {
  if (file == current() && fs::exists(previous())) {
    return fmt::format("to go on from the checkpoint before it ('{}'), move the spoilt one away", previous().string());
  }
  return "put a sound copy back, or begin anew with --restart";
}

RunState CheckpointFolder::load(const FlatBuffers& buffers) const {
  const fs::path file = newest();
  try {
    const WeightFacts facts = read_weights(file, config_, buffers, Verify::checksum);
    return state_from(facts.at("progress"));
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}; {}", error.what(), remedy(file)));
  }
}

Fingerprint CheckpointFolder::load_fingerprint() const {
  const fs::path file = newest();
  try {
    return nlohmann::json::parse(Safetensors(file).metadata().at("fingerprint")).get<Fingerprint>();
  } catch (const std::exception& error) {
    throw Error(fmt::format("'{}': it is no checkpoint of heed's ({}); {}", file.string(), error.what(), remedy(file)));
  }
}

void CheckpointFolder::check_unchanged(const Fingerprint& now) const {
  const Fingerprint before = load_fingerprint();
  for (const auto& [name, value] : now) {
    const auto old = before.find(name);
    const std::string had = old == before.end() ? "nothing" : old->second;
    if (had == value) continue;
    throw Error(
        fmt::format("'{}': {} was {} when the run began and is {} now; give what it had, begin anew with "
                    "--restart, or start another model with --init",
                    folder_.string(), name, had, value));
  }
}

void CheckpointFolder::save(const FlatBuffers& buffers, const RunState& state, const Fingerprint& fingerprint) const {
  const fs::path next = training_ / "next.safetensors";
  write_weights(next, config_, buffers,
                {{"progress", to_text(state)}, {"fingerprint", nlohmann::ordered_json(fingerprint).dump()}});
  // A kill between the two renames leaves only the previous one under its name, and newest() finds it.
  if (fs::exists(current())) rename_file(current(), previous());
  rename_file(next, current());
}

void CheckpointFolder::save_best(std::span<float> weights, Index update) const {
  write_weights(training_ / "best.safetensors", config_, {{"", weights}}, update_fact(update));
}

void CheckpointFolder::add_save(std::span<float> weights, Index update) const {
  make_folder(training_ / "saves");
  write_weights(save_file(update), config_, {{"", weights}}, update_fact(update));
}

void CheckpointFolder::write_model(std::span<float> weights, Index update) const {
  write_weights(folder_ / "model.safetensors", config_, {{"", weights}}, update_fact(update));
}

void CheckpointFolder::write_average(std::span<const Index> updates) const {
  const auto count = static_cast<std::size_t>(count_parameters(config_));
  std::vector<float> weights(count);
  std::vector<double> sum(count);
  for (const Index update : updates) {
    read_weights(save_file(update), config_, {{"", weights}}, Verify::structure);
    for (std::size_t i = 0; i < count; ++i) sum[i] += static_cast<double>(weights[i]);
  }
  const auto saves = static_cast<double>(updates.size());
  std::transform(sum.begin(), sum.end(), weights.begin(), [&](double s) { return static_cast<float>(s / saves); });
  write_weights(folder_ / "model.safetensors", config_, {{"", weights}},
                {{"average_of_updates", fmt::format("{}", fmt::join(updates, " "))}});
}

void CheckpointFolder::prune_saves(std::span<const Index> updates) const {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(training_ / "saves", error)) {
    const bool wanted =
        std::any_of(updates.begin(), updates.end(), [&](Index update) { return entry.path() == save_file(update); });
    if (!wanted) fs::remove(entry.path(), error);
  }
}

}  // namespace heed
