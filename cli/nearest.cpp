#include "cli/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace heed::cli {
namespace {

// Flags of other programs that no count of letters would lead to heed's. Where a command has none of the first name, it
// may have one of a second.
const std::multimap<std::string, std::string> foreign_flags{
    {"--beam-size", "--beam"},
    {"--beam-size", "--valid-beam"},
    {"--beam_size", "--beam"},
    {"--mini-batch", "--batch-tokens"},
    {"--mini-batch-words", "--batch-tokens"},
    {"--compute_type", "--type"},
    {"--compute-type", "--type"},
    {"--cpu-threads", "--threads"},
    {"--intra_threads", "--threads"},
    {"--inter_threads", "--threads"},
    {"--dim-emb", "--d-model"},
    {"--dim-vocabs", "--vocab-size"},
    {"--enc-depth", "--encoder-layers"},
    {"--dec-depth", "--decoder-layers"},
    {"--transformer-heads", "--heads"},
    {"--transformer-dim-ffn", "--d-ff"},
    {"--transformer-dropout", "--dropout"},
    {"--tied-embeddings-all", "--tie"},
    {"--tied-embeddings", "--tie"},
    {"--layers", "--encoder-layers"},
    {"--train-sets", "--source"},
    {"--valid-sets", "--valid-source"},
    {"--after-batches", "--updates"},
    {"--after", "--updates"},
    {"--after-epochs", "--epochs"},
    {"--lr-warmup", "--warmup"},
    {"--learn-rate", "--learning-rate"},
    {"--lr", "--learning-rate"},
    {"--optimizer-delay", "--accumulate"},
    {"--early-stopping", "--patience"},
    {"--exponential-smoothing", "--ema"},
    {"--clip-norm", "--clip"},
    {"--valid-freq", "--valid-every"},
    {"--save-freq", "--save-every"},
    {"--disp-freq", "--log-every"},
    {"--max_batch_size", "--batch"},
    {"--length_penalty", "--alpha"},
    {"--normalize", "--alpha"},
    {"--num_hypotheses", "--n-best"},
    {"--word-scores", "--token-scores"},
    {"--n-best-feature", "--feature"},
};

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

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

// The first word that the command does not know: a flag, or a subcommand where one is due.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> unknown = app.remaining();
  const auto flag =
      std::find_if(unknown.begin(), unknown.end(), [](const std::string& w) { return w.starts_with("-"); });
  if (flag != unknown.end()) return *flag;
  if (!unknown.empty()) return unknown.front();
  if (app.get_require_subcommand_min() == 0 || !app.get_subcommands().empty()) return {};
  const std::string own_name = app.get_parent() == nullptr ? "" : app.get_name();
  const auto after = own_name.empty() ? words.begin() : std::find(words.begin(), words.end(), own_name) + 1;
  return after == words.end() || after->starts_with("-") ? "" : *after;
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearest_flag(const std::string& flag, const std::vector<std::string>& flags) {
  const auto [first, last] = foreign_flags.equal_range(flag);
  for (auto foreign = first; foreign != last; ++foreign) {
    if (std::find(flags.begin(), flags.end(), foreign->second) != flags.end()) return foreign->second;
  }
  return nearest(flag, flags);
}

std::string usage_message(const CLI::App& program, const std::vector<std::string>& words,
                          const CLI::ParseError& error) {
  const CLI::App& app = innermost(program);
  const std::string name = full_name(app);
  if (const std::string word = unknown_word(app, words); !word.empty()) {
    const std::string close = suggestion(app, word);
    const std::string hint = close.empty() ? "" : fmt::format("did you mean '{}'? ", close);
    return fmt::format("{}: '{}' is unknown; {}see '{} --help'", name, word, hint, name);
  }
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  return fmt::format("{}: {}; see '{} --help'", name, what, name);
}

}  // namespace heed::cli
