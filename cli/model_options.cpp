#include "cli/model_options.h"

#include "base/thread_pool.h"

namespace heed::cli {

ModelFlagsForUse::ModelFlagsForUse(CLI::App& command) {
  options.threads = available_cores();
  command
      .add_option("-m,--model", folders, "Folder of the model; of several with one vocabulary, they decide together")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option_function<std::string>(
      "--type",
      [this](const std::string& name) {
        if (name != "f32" && name != "int8") throw CLI::ValidationError("--type", name + " is unknown: f32 or int8");
        options.type = name == "f32" ? NumberType::f32 : NumberType::int8;
      },
      "f32 or int8 [what the file holds]");
  command.add_option("--batch", options.batch, "Sentences of a batch; each thread has one when there are enough")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Threads")->capture_default_str()->check(CLI::Range(1, 1024));
  command.add_option("--checkpoint", options.checkpoint, "best, last or average [model.safetensors]");
  command.add_flag("--verify", options.verify, "Compare the checksum of every byte of the weights first");
}

Translator ModelFlagsForUse::load() const {
  const std::vector<std::filesystem::path> paths(folders.begin(), folders.end());
  return Translator(paths, options);
}

}  // namespace heed::cli
