#include "cli/validation.h"

#include <fmt/format.h>

#include <cmath>

#include "base/figures.h"
#include "cli/signals.h"
#include "decoding/job.h"
#include "decoding/line_codec.h"
#include "decoding/translation_model.h"
#include "heed/error.h"
#include "metrics/bleu.h"
#include "metrics/brackets.h"
#include "metrics/chrf.h"
#include "parsing/tree_codec.h"
#include "text/space_tokenizer.h"
#include "treebank/reader.h"

namespace heed::cli {
namespace {

constexpr Index tokens_per_batch = 4000;
constexpr std::size_t samples_shown = 5;
constexpr std::size_t lines_between_signals = 256;
constexpr Index sentences_side_by_side = 64;

}  // namespace

Validator::Validator(const CorpusFiles& files, const TokenizerPair& tokenizers, Trainer& trainer,
                     const ValidationOptions& options)
    : tokenizers_(tokenizers), trainer_(trainer), options_(options) {
  PairReader reader(files);
  Index tokens = tokens_per_batch;
  for (std::string source, target; reader.next(source, target);) {
    sources_.push_back(source);
    references_.push_back(target);
    std::vector<int> source_ids = tokenizers_.source->encode(source);
    std::vector<int> target_ids = tokenizers_.target->encode(target);
    // With the space tokenizer, join the pieces of a reference as those of a translation are.
    if (tokenizers_.target->kind() == TokenizerKind::space) references_.back() = join_pieces(target);
    source_ids.push_back(end_token);
    target_ids.push_back(end_token);
    if (tokens >= tokens_per_batch) {
      batches_.emplace_back();
      tokens = 0;
    }
    check_positions(files, source_ids, target_ids);
    tokens += static_cast<Index>(source_ids.size() + target_ids.size());
    batches_.back().add(source_ids, target_ids);
  }
  if (options_.form) read_trees(files.source);
  if (sources_.empty()) throw Error(fmt::format("{}: the validation corpus is empty", files.name()));
  for (const BatchBuilder& batch : batches_) check(batch.batch(), trainer_.model().config());
}

// Learned positions are limited, sinusoids are not.
void Validator::check_positions(const CorpusFiles& files, const std::vector<int>& source,
                                const std::vector<int>& target) const {
  const Index most = trainer_.model().config().most_positions();
  const auto longest = static_cast<Index>(std::max(source.size(), target.size()));
  if (longest <= most) return;
  throw Error(
      fmt::format("{}: line {} has {} with </s>, but there are only {} learned positions; shorten it, or raise "
                  "max-positions",
                  files.name(), sources_.size(), counted(longest, "piece"), most));
}

Loss Validator::loss() {
  Loss total;
  for (const BatchBuilder& batch : batches_) {
    if (received_signal() != 0) break;
    total += trainer_.evaluate(batch.batch());
  }
  return total;
}

std::optional<Validation> Validator::run(Index max_source_length) {
  const Loss total = loss();
  if (received_signal() != 0) return std::nullopt;
  const auto tokens = static_cast<double>(total.tokens);
  Validation validation;
  validation.cost = total.smoothed / tokens;
  validation.perplexity = std::exp(total.plain / tokens);
  if (!std::isfinite(validation.perplexity)) return validation;  // a diverged model cannot translate
  const std::vector<std::string> hypotheses = translate(max_source_length);
  if (received_signal() != 0) return std::nullopt;
  score(hypotheses, validation);
  const std::size_t shown = std::min(samples_shown, sources_.size());
  for (std::size_t i = 0; i < shown; ++i) {
    // Spread over the corpus, since neighbouring lines are often alike.
    const std::size_t line = i * sources_.size() / shown;
    validation.samples.push_back({sources_[line], references_[line], hypotheses[line]});
  }
  return validation;
}

// In place of the references: with their own tags, which not every form of linearisation has.
void Validator::read_trees(const std::filesystem::path& file) {
  treebank::TreeReader reader(file);
  references_.clear();
  for (treebank::Tree tree; reader.next(tree);) references_.push_back(write_tree(tree));
}

void Validator::score(const std::vector<std::string>& hypotheses, Validation& validation) const {
  const std::vector<std::vector<std::string>> references{references_};
  if (options_.form) {
    const metrics::Metric brackets =
        metrics::bracket_metric({.rules = {}, .gold_tags = *options_.form == treebank::Form::xx});
    const std::vector<double> sums = brackets.line_statistics(hypotheses, references).sum();
    validation.brackets = metrics::bracket_figures(sums).all.strict_f();
    return;
  }
  validation.bleu = metrics::bleu(hypotheses, references, options_.bleu).score;
  validation.chrf = metrics::chrf(hypotheses, references);
}

std::unique_ptr<Codec> Validator::codec(StepModels models, Index max_source_length) const {
  if (!options_.form) return std::make_unique<LineCodec>(tokenizers_, models, max_source_length);
  return std::make_unique<TreeCodec>(tokenizers_, *options_.form, models, 0, Constraint::tree);
}

std::vector<std::string> Validator::translate(Index max_source_length) {
  const TranslationModel translation(trainer_.model());
  const StepModel* model = &translation;
  const std::unique_ptr<Codec> lines_codec = codec(StepModels(&model, 1), max_source_length);
  std::vector<std::string> hypotheses;
  for (std::size_t from = 0; from < sources_.size() && received_signal() == 0; from += lines_between_signals) {
    std::vector<Line> lines;
    for (std::size_t i = from; i < std::min(from + lines_between_signals, sources_.size()); ++i)
      lines.push_back({sources_[i]});
    for (const auto& best : translate_lines(StepModels(&model, 1), *lines_codec, lines, options_.search,
                                            sentences_side_by_side, trainer_.workspace())) {
      hypotheses.push_back(best.front().text);
    }
  }
  return hypotheses;
}

}  // namespace heed::cli
