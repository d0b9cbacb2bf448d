#include "cli/validation.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/signals.h"
#include "heed/error.h"

namespace heed::cli {
namespace {

constexpr Index tokens_per_batch = 4000;
constexpr std::size_t samples_shown = 5;

}  // namespace

Validator::Validator(const CorpusFiles& files, const TokenizerPair& tokenizers, Trainer& trainer,
                     const ValidationOptions& options)
    : tokenizers_(tokenizers), trainer_(trainer), options_(options) {
  PairReader reader(files);
  Index tokens = tokens_per_batch;
  for (std::string source, target; reader.next(source, target);) {
    std::vector<int> source_ids = tokenizers_.source->encode(source);
    std::vector<int> target_ids = tokenizers_.target->encode(target);
    source_ids.push_back(end_token);
    target_ids.push_back(end_token);
    if (tokens >= tokens_per_batch) {
      batches_.emplace_back();
      tokens = 0;
    }
    tokens += static_cast<Index>(source_ids.size() + target_ids.size());
    batches_.back().add(source_ids, target_ids);
    sources_.push_back(source);
    references_.push_back(target);
    source_ids_.push_back(std::move(source_ids));
  }
  if (sources_.empty()) throw Error(fmt::format("{}: there is no pair to validate on", files.name()));
}

Loss Validator::loss() {
  Loss total;
  for (const BatchBuilder& batch : batches_) {
    if (received_signal() != 0) break;
    total += trainer_.evaluate(batch.batch());
  }
  return total;
}

std::optional<Validation> Validator::run() {
  const Loss total = loss();
  if (received_signal() != 0) return std::nullopt;
  const auto tokens = static_cast<double>(total.tokens);
  Validation validation;
  validation.cost = total.smoothed / tokens;
  validation.perplexity = std::exp(total.plain / tokens);
  return validation;
}

}  // namespace heed::cli
