#include "cli/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace heed::cli {
namespace {

// Flags of other programs whose counterparts edit distance would not find. If a command lacks the first counterpart,
// the next is tried.
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

}  // namespace heed::cli
