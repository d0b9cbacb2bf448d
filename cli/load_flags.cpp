#include "cli/load_flags.h"

#include <fmt/format.h>

#include "base/say.h"
#include "base/thread_pool.h"
#include "heed/error.h"

namespace heed::cli {

void add_type_flag(CLI::App& command, NumberType& type, const char* help) {
  command.add_option_function<std::string>(
      "--type",
      [&type](const std::string& name) {
        if (name != "f32" && name != "int8") {
          throw SettingError("type", fmt::format("type is '{}'; choose one of f32, int8", name));
        }
        type = name == "f32" ? NumberType::f32 : NumberType::int8;
      },
      help);
}

LoadFlags::LoadFlags(CLI::App& command) {
  options.threads = available_cores();
  command.add_option("-m,--model", folders, "Model folder; several models that share a vocabulary form an ensemble")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_type_flag(command, options.type, "f32 or int8 [the type in the file]");
  command.add_option("--batch", options.batch, "Sentences per batch; each thread has its own batch")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Number of threads")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command.add_option("--checkpoint", options.checkpoint, "Weights to load: best, last or average [model.safetensors]");
  command.add_flag("--verify", options.verify, "Verify the checksum of the weights first");
}

void LoadFlags::tell(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) say(fmt::format("heed: {}", note));
}

}  // namespace heed::cli
