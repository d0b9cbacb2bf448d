// heed corpus make: generates synthetic corpora.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/figures.h"
#include "base/files.h"
#include "cli/commands.h"
#include "cli/nearest.h"
#include "heed/error.h"
#include "synthetic/lexicon.h"
#include "synthetic/synthetic.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

struct MakeFlags {
  explicit MakeFlags(CLI::App& command) {
    const CLI::Range count(Index{0}, Index{1} << 40);
    command.add_option("corpus", name, fmt::format("{}", fmt::join(EnumNames<synthetic::Kind>::names, ", ")))
        ->required();
    CLI::Option* words_flag = command.add_flag("--words", words, "List the words of en-ko or ko-en and exit");
    command.add_option("-o,--output", folder, "Folder for train.*, dev.* and test.*")->excludes(words_flag);
    command.add_option("--lines", options.train, "Number of training lines")->capture_default_str()->check(count);
    command.add_option("--dev", options.dev, "Number of validation lines")->capture_default_str()->check(count);
    command.add_option("--test", options.test, "Number of test lines: held-out combinations of known words")
        ->capture_default_str()
        ->check(count);
    command.add_option("--seed", options.seed, "Random seed")->capture_default_str();
  }

  std::string name;
  std::string folder;
  synthetic::Options options;
  bool words = false;
};

synthetic::Kind parse_kind(const std::string& name) {
  if (const auto kind = find_name<synthetic::Kind>(name)) return *kind;
  constexpr auto& all = EnumNames<synthetic::Kind>::names;
  const std::vector<std::string> names(all.begin(), all.end());
  const std::string close = nearest(name, names);
  throw SettingError(
      "corpus", fmt::format("corpus '{}' is unknown; {}choose one of {}", name,
                            close.empty() ? "" : fmt::format("did you mean '{}'? ", close), fmt::join(names, ", ")));
}

void write_part(const MakeFlags& flags, synthetic::Kind kind, const char* part,
                const std::vector<synthetic::LinePair>& lines) {
  std::string source;
  std::string target;
  for (const synthetic::LinePair& pair : lines) {
    source += pair.source + '\n';
    target += pair.target + '\n';
  }
  const synthetic::SideNames sides = synthetic::side_names(kind);
  const fs::path source_path = fs::path(flags.folder) / fmt::format("{}.{}", part, sides.source);
  const fs::path target_path = fs::path(flags.folder) / fmt::format("{}.{}", part, sides.target);
  write_file(source_path, source);
  write_file(target_path, target);
  fmt::print("{} and {}: {}\n", source_path.string(), target_path.string(), counted(lines.size(), "line"));
}

void list_words(synthetic::Kind kind) {
  if (kind != synthetic::Kind::en_ko && kind != synthetic::Kind::ko_en) {
    throw SettingError("words",
                       fmt::format("corpus '{}' has no word list; use --words with en-ko or ko-en", name_of(kind)));
  }
  for (const auto& [english, korean] : synthetic::lexicon::dictionary()) {
    const bool english_first = kind == synthetic::Kind::en_ko;
    fmt::print("{}\t{}\n", english_first ? english : korean, english_first ? korean : english);
  }
}

void make(const MakeFlags& flags) {
  const synthetic::Kind kind = parse_kind(flags.name);
  if (flags.words) return list_words(kind);
  if (flags.folder.empty()) throw CLI::RequiredError("-o");
  const synthetic::Corpus corpus = synthetic::make_corpus(kind, flags.options);
  make_folder(flags.folder);
  write_part(flags, kind, "train", corpus.train);
  write_part(flags, kind, "dev", corpus.dev);
  write_part(flags, kind, "test", corpus.test);
}

}  // namespace

void add_corpus_make_command(CLI::App& corpus) {
  CLI::App* command = corpus.add_subcommand("make", "Generate a synthetic corpus of sentences or toy problems");
  const auto flags = std::make_shared<MakeFlags>(*command);
  command->callback([flags] { make(*flags); });
}

}  // namespace heed::cli
