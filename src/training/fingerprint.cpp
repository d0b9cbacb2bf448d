#include "training/fingerprint.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/model_info.h"

namespace heed {
namespace {

// Values that older runs used implicitly, for settings introduced later.
const Fingerprint& earlier_values() {
  static const Fingerprint values = [] {
    Fingerprint all{{"adam-beta1", "0.9"}, {"adam-beta2", "0.98"}, {"adam-epsilon", "1e-09"},
                    {"weight-decay", "0"}, {"schedule", "paper"},  {"task", "translate"}};
    const nlohmann::ordered_json config = config_json({});
    for (const auto& [name, value] : config.items()) all[name] = value.dump();
    return all;
  }();
  return values;
}

// The width of a head is d_model / heads unless set, and the pairs of a treebank depend on the form of its trees.
bool is_derived(const std::string& name) { return name == "d_k" || name == "d_v" || name.starts_with("corpus "); }

std::string value_of(const Fingerprint& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? "nothing" : found->second;
}

}  // namespace

const std::vector<std::string>& changeable_settings() {
  static const std::vector<std::string> names{"accumulate",      "batch-tokens",  "dropout",
                                              "label_smoothing", "learning-rate", "warmup"};
  return names;
}

bool is_changeable(const std::string& name) {
  const std::vector<std::string>& names = changeable_settings();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string flag_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<SettingChange> differences(const Fingerprint& before, const Fingerprint& now) {
  std::vector<SettingChange> changes;
  for (const auto& [name, value] : now) {
    const std::string had = value_of(before.contains(name) ? before : earlier_values(), name);
    if (had != value) changes.push_back({name, had, value});
  }
  std::stable_partition(changes.begin(), changes.end(),
                        [](const SettingChange& change) { return !is_derived(change.name); });
  return changes;
}

}  // namespace heed
