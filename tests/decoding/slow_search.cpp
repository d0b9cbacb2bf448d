#include "decoding/slow_search.h"

#include <algorithm>
#include <cmath>

namespace heed {

std::vector<double> next_log_probabilities(const Transformer& model, const std::vector<int>& source,
                                           const std::vector<int>& prefix, const Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  std::vector<int> target = prefix;
  target.push_back(end_token);  // the last token is not seen
  BatchBuilder builder;
  builder.add(source, target);
  const Batch batch = builder.batch();
  const RaggedRows memory{encode(model.parameters(), batch.source, {}, workspace, nullptr), batch.source.offsets};
  const Matrix<const float> hidden = decode(model.parameters(), batch.target, memory, {}, workspace, nullptr);
  const Matrix<float> logits = workspace.arena.matrix(1, model.config().target_vocab);
  linear(hidden.rows_from(hidden.rows - 1, 1), model.parameters().output, logits, workspace);
  double sum = 0.0;
  for (const float x : logits.row_span(0)) sum += std::exp(static_cast<double>(x));
  std::vector<double> result;
  for (const float x : logits.row_span(0)) result.push_back(static_cast<double>(x) - std::log(sum));
  return result;
}

double score_of(double log_probability, std::size_t pieces, const SearchOptions& options) {
  const auto length = static_cast<double>(pieces + 1);
  const bool paper = options.length_penalty == LengthPenalty::paper;
  return log_probability / std::pow(paper ? (5.0 + length) / 6.0 : length, static_cast<double>(options.alpha));
}

std::vector<Hypothesis> slow_search(const Transformer& model, const std::vector<int>& source,
                                    const SearchOptions& options, const Workspace& workspace) {
  const auto limit = source.size() - 1 + static_cast<std::size_t>(options.extra_length);
  std::vector<Hypothesis> live(1);
  std::vector<Hypothesis> ended;
  while (!live.empty()) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& parent : live) {
      const std::vector<double> next = next_log_probabilities(model, source, parent.tokens, workspace);
      for (int token = 0; token < static_cast<int>(next.size()); ++token) {
        if (parent.tokens.size() == limit && token != end_token) continue;
        Hypothesis child = parent;
        child.tokens.push_back(token);
        child.log_probability += next[static_cast<std::size_t>(token)];
        all.push_back(child);
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.log_probability > b.log_probability; });
    all.resize(std::min(all.size(), static_cast<std::size_t>(options.beam)));
    live.clear();
    for (Hypothesis& child : all) {
      if (child.tokens.back() != end_token) {
        live.push_back(child);
        continue;
      }
      child.tokens.pop_back();
      child.score = score_of(child.log_probability, child.tokens.size(), options);
      child.finished = child.tokens.size() < limit;
      ended.push_back(child);
    }
  }
  std::stable_sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  ended.resize(std::min(ended.size(), static_cast<std::size_t>(options.n_best)));
  return ended;
}

}  // namespace heed
