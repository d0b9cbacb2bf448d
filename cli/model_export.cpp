// heed model export: writes a model for another program.
#include <fmt/format.h>

#include "base/say.h"
#include "cli/commands.h"
#include "interchange/export.h"

namespace heed::cli {
namespace {

struct ExportFlags {
  explicit ExportFlags(CLI::App& command) {
    command.add_option("-m,--model", model, "Model folder")->required();
    command.add_option("--to", format, "The other program: ctranslate2 or huggingface")
        ->required()
        ->check(CLI::IsMember({"ctranslate2", "huggingface"}));
    command.add_option("-o,--output", output, "Folder for the result, which must not exist yet")->required();
    command.add_option("--type", type, "Numbers of the result: f32 or, for ctranslate2, int8 [those of the model]")
        ->check(CLI::IsMember({"f32", "int8"}));
    command.add_option("--checkpoint", checkpoint, "Weights to use: best, last or average [model.safetensors]");
  }

  interchange::ExportOptions options() const {
    interchange::ExportOptions options;
    options.format =
        format == "huggingface" ? interchange::ExportFormat::huggingface : interchange::ExportFormat::ctranslate2;
    options.checkpoint = checkpoint;
    if (!type.empty()) options.type = type == "f32" ? NumberType::f32 : NumberType::int8;
    return options;
  }

  std::string model, format, output, type, checkpoint;
};

void export_to(const ExportFlags& flags) {
  for (const std::string& note : interchange::export_model(flags.model, flags.output, flags.options())) {
    say(fmt::format("heed: {}", note));
  }
  fmt::print("{}: {} for {}\n", flags.output, flags.model, flags.format);
}

}  // namespace

void add_model_export_command(CLI::App& model) {
  CLI::App* command = model.add_subcommand("export", "Write a model for CTranslate2 or Hugging Face");
  const auto flags = std::make_shared<ExportFlags>(*command);
  command->callback([flags] { export_to(*flags); });
}

}  // namespace heed::cli
