// Merges the flags of heed train with the settings of the run in its folder.
#include <fmt/format.h>

#include "base/files.h"
#include "cli/config_file.h"
#include "cli/train_flags.h"
#include "cli/usage.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> absolute(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) all.push_back(path.empty() ? "" : fs::absolute(path).string());
  return all;
}

void set_by_run(CLI::App& command, const std::string& name, const std::string& value) {
  CLI::Option* option = command.get_option(fmt::format("--{}", name));
  if (option->count() > 0) return;
  try {
    option->add_result(value);
    option->run_callback();
  } catch (const CLI::Error& error) {
    throw Error(fmt::format("the checkpoint's {} is invalid: {}", name, plain_words(error)));
  }
}

// A preset on the command line sets every size, so the run's sizes must not override it.
bool belongs_to_preset(const CLI::App& command, const std::string& name) {
  if (name == "vocab-size" || name == "source-vocab-size" || name == "target-vocab-size") return false;
  return command.get_option(fmt::format("--{}", name))->get_group() == "Model";
}

}  // namespace

// Changeable settings come from the checkpoint: if the run was killed right after a change, config.yaml may not have it
// yet. The rest comes from config.yaml, unless the command names its own data: then it is complete by itself, and
// missing flags have their defaults.
void TrainFlags::take_from_run(CLI::App& command) {
  if (change && !resumes()) {
    throw SettingError("change",
                       fmt::format("--change needs a run to resume, but '{}' has no checkpoint; omit it", folder));
  }
  if (resumes()) {
    const Fingerprint run = CheckpointFolder(folder).load_fingerprint();
    for (const std::string& name : changeable_settings()) {
      if (run.contains(name)) set_by_run(command, flag_name(name), run.at(name));
    }
  }
  const fs::path own = fs::path(folder) / "training" / "config.yaml";
  if (names_data() || folder.empty() || !file_exists(own)) return;
  const bool preset_given = command.get_option("--preset")->count() > 0;
  apply_config_file(command, own.string(),
                    [&](const std::string& name) { return !preset_given || !belongs_to_preset(command, name); });
}

std::string TrainFlags::dump(const CLI::App& command, Paths paths) const {
  const Config c = with_head_widths(config());
  Settings resolved{{"source-language", {source_language}},
                    {"target-language", {target_language}},
                    {"updates", {std::to_string(updates)}},
                    {"epochs", {std::to_string(epochs)}},
                    {"hours", {fmt::format("{}", hours)}},
                    {"patience", {std::to_string(patience)}},
                    {"learning-rate", {fmt::format("{}", peak_rate())}},
                    {"tokenizer", {tokenizer}},
                    {"valid-metric", {metric}},
                    {"valid-beam", {std::to_string(valid_beam)}},
                    {"threads", {std::to_string(threads)}},
                    {"keep", {std::to_string(keep)}},
                    {"vocab-size", {std::to_string(c.source_vocab)}}};
  for_each_field(
      c, [&]<class T>(const T& value, const Field<T>& field) { resolved[field.name] = {FieldText<T>::text(value)}; });
  if (!model.separate_vocabularies()) {
    resolved.erase("source-vocab-size");
    resolved.erase("target-vocab-size");
  }
  if (paths == Paths::absolute) {
    for (const auto& [name, given] : {std::pair{"source", sources}, {"target", targets}, {"trees", trees}}) {
      if (!given.empty()) resolved[name] = absolute(given);
    }
    for (const auto& [name, given] : {std::pair{"valid-source", valid_source},
                                      {"valid-target", valid_target},
                                      {"valid-trees", valid_trees},
                                      {"model", folder},
                                      {"init", init},
                                      {"tokenizer", tokenizer_is_file() ? tokenizer : ""}}) {
      if (!given.empty()) resolved[name] = absolute({given});
    }
  }
  return cli::dump_config(command, resolved);
}

}  // namespace heed::cli
