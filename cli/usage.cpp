#include "cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "cli/nearest.h"

namespace heed::cli {
namespace {

// The parser's messages as regular expressions, and our wording with their groups as $1, $2, ….
struct Rewording {
  const char* theirs;
  const char* ours;
};

constexpr Rewording rewordings[] = {
    {"(.+): At least 1 required but received 0", "$1 needs a value"},
    {"(.+): At least (\\d+) required but received (\\d+)", "$1 needs at least $2 values, not $3"},
    {"(.+): At Most 1 required but received (\\d+)", "$1 is given $2 times; pass it once"},
    {"(.+): At Most (\\d+) required but received (\\d+)", "$1 takes at most $2 values, not $3"},
    {"(.+): 1 required .* missing", "$1 needs a value"},
    {"(.+): (\\d+) required .* missing", "$1 needs $2 values"},
    {"Could not convert: (.+) = (.*)", "$1 is '$2'; give a number that fits"},
    {"(.+): Should be true/false or a number", "$1 is either true or false"},
    {"(.+): Value (.+) not in range (.+) to (.+)", "$1 is $2; choose $3 to $4"},
    {"(.+) was given a disallowed flag override", "$1 takes no value"},
    {"(.+) requires (.+)", "$1 needs $2 as well"},
    {"(.+) excludes (.+)", "$1 and $2 cannot be combined; omit one"},
    {"A subcommand is required", "a subcommand is required"},
};

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

bool has_command(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; }).empty();
}

std::string suggestion(const CLI::App& app, const std::string& word) {
  if (!word.starts_with("-")) {
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      commands.push_back(command->get_name());
    }
    return nearest(word, commands);
  }
  return nearest_flag(word.substr(0, word.find('=')), flags_of(app));
}

// The first word that the command does not know: a flag, or a subcommand where one is required.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> unknown = app.remaining();
  const auto is_flag = [](const std::string& word) { return word.starts_with("-"); };
  const bool lacks_command = app.get_require_subcommand_min() > 0 && app.get_subcommands().empty();
  // What follows a mistyped command belongs to it.
  const auto first = lacks_command ? std::find_if_not(unknown.begin(), unknown.end(), is_flag)
                                   : std::find_if(unknown.begin(), unknown.end(), is_flag);
  if (first != unknown.end()) return *first;
  if (!unknown.empty()) return unknown.front();
  if (!lacks_command) return {};
  const std::string own_name = app.get_parent() == nullptr ? "" : app.get_name();
  const auto after = own_name.empty() ? words.begin() : std::find(words.begin(), words.end(), own_name) + 1;
  return after == words.end() || after->starts_with("-") ? "" : *after;
}

}  // namespace

std::string plain_words(const CLI::Error& error) {
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  for (const Rewording& rewording : rewordings) {
    const std::regex theirs(rewording.theirs);
    if (std::regex_match(what, theirs)) return std::regex_replace(what, theirs, rewording.ours);
  }
  return what;
}

std::string usage_message(const CLI::App& program, const std::vector<std::string>& words,
                          const CLI::ParseError& error) {
  const bool mistyped = !words.empty() && !words[0].starts_with("-") && !has_command(program, words[0]);
  // Words after a mistyped command may match other commands.
  const CLI::App& app = mistyped ? program : innermost(program);
  const std::string name = full_name(app);
  if (const std::string word = mistyped ? words[0] : unknown_word(app, words); !word.empty()) {
    const std::string close = suggestion(app, word);
    const std::string hint = close.empty() ? "" : fmt::format("did you mean '{}'? ", close);
    return fmt::format("{}: '{}' is unknown; {}see '{} --help'", name, word, hint, name);
  }
  return fmt::format("{}: {}; see '{} --help'", name, plain_words(error), name);
}

}  // namespace heed::cli
