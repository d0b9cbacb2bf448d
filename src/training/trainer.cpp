#include "training/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "heed/error.h"

namespace heed {
namespace {

// Weight decay applies to matrices, which include embeddings and learned positions, but not to biases and layer norm
// gains: pulling those towards 0 would defeat their purpose.
std::vector<Stretch> decayed_stretches(const Layout& layout) {
  std::vector<Stretch> stretches;
  for (const Tensor& tensor : layout.tensors) {
    if (tensor.role == Role::vector) continue;
    const auto first = static_cast<std::size_t>(tensor.offset);
    const auto count = static_cast<std::size_t>(tensor.size());
    const bool adjoins = !stretches.empty() && stretches.back().first + stretches.back().count == first;
    if (adjoins) {
      stretches.back().count += count;
    } else {
      stretches.push_back({first, count});
    }
  }
  return stretches;
}

}  // namespace

Trainer::Trainer(const Config& config, const TrainingOptions& options, int threads)
    : options_(options),
      threads_(threads),
      workspace_{threads_, arena_},
      model_(config, Purpose::training),
      gradient_values_(model_.values().size_bytes()),
      gradient_(gradient_values_.floats(), model_.values().size()),
      gradient_views_(bind_parameters(config, gradient_.data())),
      adam_(model_.parameter_count(), options.adam, decayed_stretches(model_.layout())) {
  initialise(model_.layout(), options.seed, model_.values().data());
  model_.pack(workspace_);
}

UpdateReport Trainer::update(std::span<const Batch> batches) {
  for (const Batch& batch : batches) check(batch, model_.config());
  UpdateReport report;
  Dropout dropout{model_.config().dropout, random_key(options_.seed, static_cast<std::uint64_t>(adam_.updates())), 0};
  for (const Batch& batch : batches) {
    report.loss += compute_gradient(model_, batch, dropout, gradient_views_, workspace_);
    dropout.first_sentence += batch.source.sentences();
  }
  if (report.loss.tokens == 0) throw Error("an update has no tokens: every batch is empty; pass at least one pair");

  const double tokens = static_cast<double>(report.loss.tokens);
  report.gradient_norm = gradient_norm(gradient_, workspace_) / tokens;
  report.learning_rate = options_.schedule.rate(adam_.updates() + 1, model_.config().d_model);
  if (!std::isfinite(report.gradient_norm)) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0f);
    report.skipped = true;
    return report;
  }
  const bool too_large = options_.clip > 0.0 && report.gradient_norm > options_.clip;
  const double clipping = too_large ? options_.clip / report.gradient_norm : 1.0;
  adam_.update(model_.values(), gradient_, report.learning_rate, clipping / tokens, workspace_);
  model_.pack(workspace_);
  return report;
}

void Trainer::set_values(std::span<const float> values) {
  std::copy(values.begin(), values.end(), model_.values().begin());
  model_.pack(workspace_);
}

FlatBuffers Trainer::state() {
  return {{"", weights()}, {"adam.first.", adam_.first_moment()}, {"adam.second.", adam_.second_moment()}};
}

void Trainer::restore(Index updates) {
  adam_.set_updates(updates);
  model_.pack(workspace_);
}

Loss Trainer::evaluate(const Batch& batch) {
  check(batch, model_.config());
  return compute_loss(model_, batch, model_.config().label_smoothing, workspace_);
}

}  // namespace heed
