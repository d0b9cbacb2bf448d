// heed corpus gettext: makes a parallel corpus from the message catalogues of installed programs.
#include <fmt/format.h>

#include "base/figures.h"
#include "base/files.h"
#include "base/say.h"
#include "cli/commands.h"
#include "gettext/gettext.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;
using namespace gettext;

struct GettextFlags {
  explicit GettextFlags(CLI::App& command) {
    command.add_option("--language", language, "Target language, spelled as in folder names: ko, pt_BR")->required();
    command.add_option("-o,--output", prefix, "Prefix of the output files PREFIX.en and PREFIX.<language>")
        ->capture_default_str();
    command.add_option("places", places, "Folders to search for …/<language>/LC_MESSAGES/*.mo, or .mo files")
        ->required()
        ->type_name("DIR");
  }

  std::string language;
  std::string prefix = "gettext";
  std::vector<std::string> places;
};

struct Sources {
  Index read = 0;
  Index skipped = 0;
};

// A damaged file found in a folder is skipped with a note; one that the user named is an error.
void read_place(const std::string& place, const std::string& language, MessageCorpus& corpus, Sources& sources) {
  std::error_code none;
  const bool named = !fs::is_directory(place, none);
  for (const fs::path& path : find_catalogues(place, language)) {
    try {
      const MappedFile file(path);
      corpus.add(read_catalogue(file.bytes(), path.string()));
      ++sources.read;
    } catch (const Error& error) {
      if (named) throw;
      say(fmt::format("heed: skipped {}", error.what()));
      ++sources.skipped;
    }
  }
}

void write_corpus(const MessageCorpus& corpus, const GettextFlags& flags) {
  std::string source;
  std::string target;
  for (const auto& [english, translation] : corpus.pairs()) {
    source.append(english).append("\n");
    target.append(translation).append("\n");
  }
  const fs::path prefix(flags.prefix);
  if (prefix.has_parent_path()) make_folder(prefix.parent_path());
  FileWriter english(fmt::format("{}.en", flags.prefix));
  FileWriter translation(fmt::format("{}.{}", flags.prefix, flags.language));
  english.write(source);
  translation.write(target);
  english.commit();
  translation.commit();
}

void print_summary(const MessageCorpus& corpus, const Sources& sources, const GettextFlags& flags) {
  const auto row = [](const char* what, Index count) { fmt::print("{:<32} {:>11}\n", what, with_commas(count)); };
  row("catalogues", sources.read);
  if (sources.skipped > 0) row("catalogues skipped", sources.skipped);
  row("messages", corpus.messages());
  for (std::size_t i = 0; i < discard_count; ++i) {
    const auto why = static_cast<Discard>(i);
    if (corpus.discarded(why) > 0) row(fmt::format("  {}", title_of(why)).c_str(), corpus.discarded(why));
  }
  row("pairs kept", static_cast<Index>(corpus.pairs().size()));
  fmt::print("wrote {}.en and {}.{}\n", flags.prefix, flags.prefix, flags.language);
}

void run_gettext(const GettextFlags& flags) {
  if (flags.language == "en")
    throw Error("language is 'en', the language of the untranslated messages; pass the target language");
  MessageCorpus corpus;
  Sources sources;
  for (const std::string& place : flags.places) read_place(place, flags.language, corpus, sources);
  if (corpus.pairs().empty()) {
    throw Error(
        fmt::format("no translated messages for '{}' in {}; pass folders that contain "
                    "…/{}/LC_MESSAGES/*.mo",
                    flags.language, counted(sources.read, "catalogue"), flags.language));
  }
  write_corpus(corpus, flags);
  print_summary(corpus, sources, flags);
}

}  // namespace

void add_corpus_gettext_command(CLI::App& corpus) {
  CLI::App* command = corpus.add_subcommand("gettext", "Make parallel text from message catalogues (.mo)");
  const auto flags = std::make_shared<GettextFlags>(*command);
  command->callback([flags] { run_gettext(*flags); });
}

}  // namespace heed::cli
