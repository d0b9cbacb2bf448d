// heed model import: turns a model of another program into a heed folder.
#include <fmt/format.h>

#include "base/say.h"
#include "cli/commands.h"
#include "heed/error.h"
#include "interchange/import.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

struct ImportFlags {
  explicit ImportFlags(CLI::App& command) {
    command
        .add_option(
            "path", path,
            "Marian model (.npz or .bin), or a folder or archive with one, or with one of Hugging Face or CTranslate2")
        ->required();
    command.add_option("-o,--output", output, "Folder for the model, which must not exist yet")->required();
    command.add_option("--vocab", vocabularies, "Vocabulary, or source and target vocabularies [those beside it]");
    command.add_option("--spm", sentencepieces,
                       "SentencePiece model, or source and target models, for vocabularies that are lists of tokens");
    command.add_option("--languages", languages, "Source and target language: en,pt")
        ->check(CLI::Validator(not_a_pair, ""));
    command.add_option("--type", type, "Numbers of the result: f32 or int8 [those of the file]")
        ->check(CLI::IsMember({"f32", "int8"}));
  }

  static std::string not_a_pair(const std::string& text) {
    const std::size_t comma = text.find(',');
    const bool two = comma != std::string::npos && comma > 0 && comma + 1 < text.size() &&
                     text.find(',', comma + 1) == std::string::npos;
    return two ? "" : "'" + text + "' is not two languages; write them as en,pt";
  }

  interchange::ImportOptions options() const {
    interchange::ImportOptions options;
    options.vocabularies.assign(vocabularies.begin(), vocabularies.end());
    options.sentencepieces.assign(sentencepieces.begin(), sentencepieces.end());
    options.source_language = languages.substr(0, languages.find(','));
    if (!languages.empty()) options.target_language = languages.substr(languages.find(',') + 1);
    if (!type.empty()) options.type = type == "f32" ? NumberType::f32 : NumberType::int8;
    return options;
  }

  std::string path, output, languages, type;
  std::vector<std::string> vocabularies, sentencepieces;
};

std::string or_unknown(const std::string& language) { return language.empty() ? "?" : language; }

void import(const ImportFlags& flags) {
  // Before the work rather than after it.
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(flags.output, ignored))) {
    throw Error(fmt::format("'{}' already exists; choose another folder", flags.output));
  }
  interchange::ImportedModel model = interchange::import_model(flags.path, flags.options());
  interchange::write_imported(flags.output, model);
  for (const std::string& note : model.notes) say(fmt::format("heed: {}", note));
  fmt::print("{}: {}\n", flags.path, model.found);
  fmt::print("{}: {} → {}, beam {}, alpha {}, length penalty {}\n", flags.output,
             or_unknown(model.info.source_language), or_unknown(model.info.target_language), model.info.beam,
             model.info.alpha, name_of(model.info.length_penalty));
}

}  // namespace

void add_model_import_command(CLI::App& model) {
  CLI::App* command = model.add_subcommand("import", "Turn a model of another program into a heed model");
  const auto flags = std::make_shared<ImportFlags>(*command);
  command->callback([flags] { import(*flags); });
}

}  // namespace heed::cli
