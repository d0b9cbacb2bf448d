#include "training/trainer.h"

#include <limits>

#include "heed/error.h"
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

void restart_from(Trainer& trainer, const Tensors& parameters) {
  std::vector<float> values(trainer.model().values().size());
  for (const Tensor& t : list_tensors(trainer.model().config())) {
    const std::vector<double>& tensor = parameters.at(t.name);
    std::copy(tensor.begin(), tensor.end(), values.begin() + t.offset);
  }
  trainer.set_values(values);
}

std::vector<float> values_after(const Config& config, const TrainingOptions& options, int threads, int updates) {
  Trainer trainer(config, options, threads);
  const BatchBuilder a = make_batch(config, {{30, 20}, {5, 9}});
  const BatchBuilder b = make_batch(config, {{100, 70}});
  const Batch batches[] = {a.batch(), b.batch()};
  for (int i = 0; i < updates; ++i) trainer.update(batches);
  return {trainer.model().values().begin(), trainer.model().values().end()};
}

TEST(Trainer, TenAdamUpdatesHavePyTorchsLosses) {
  for (const Fixture& fixture : read_fixtures()) {
    if (fixture.values.count("adam_losses") == 0) continue;
    Config config = fixture.config;
    config.dropout = 0.0f;
    Trainer trainer(config, {.schedule = {.warmup = 40}}, 2);
    restart_from(trainer, formula_parameters(config));
    const BatchBuilder batch = make_batch(config, fixture_lengths());
    const Batch view = batch.batch();
    for (const double want : fixture.values.at("adam_losses")) {
      EXPECT_NEAR(trainer.update({&view, 1}).smoothed_per_token(), want, 1e-5);
    }
    return;
  }
  FAIL() << "no fixture with Adam losses";
}

TEST(Trainer, SameSeedSameBitsOnAnyNumberOfThreads) {
  Config config = small_config();
  config.d_model = 32;
  config.dropout = 0.1f;
  const std::vector<float> one = values_after(config, {}, 1, 5);
  for (const int threads : {1, 2, 3}) EXPECT_EQ(one, values_after(config, {}, threads, 5)) << threads;
  EXPECT_NE(one, values_after(config, {.seed = 2}, 1, 5));
}

TEST(Trainer, AccumulatedBatchesMakeOneUpdate) {
  Config config = small_config();
  config.dropout = 0.2f;
  const BatchBuilder first = make_batch(config, {{3, 4}});
  BatchBuilder whole;
  BatchBuilder second;
  const std::vector<int> s{5, 6, 2};
  const std::vector<int> t{7, 8, 9, 2};
  second.add(s, t);
  const Batch part = first.batch();
  whole.add(part.source.tokens, part.target.tokens);
  whole.add(s, t);
  Trainer together(config, {}, 1);
  Trainer apart(config, {}, 1);
  const Batch all = whole.batch();
  const Batch parts[] = {first.batch(), second.batch()};
  const UpdateReport a = together.update({&all, 1});
  const UpdateReport b = apart.update(parts);
  EXPECT_EQ(a.loss.tokens, b.loss.tokens);
  EXPECT_NEAR(a.loss.smoothed, b.loss.smoothed, 1e-9);
  EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-6 * a.gradient_norm);
}

TEST(Trainer, ClippingBoundsTheStepButReportsTheNorm) {
  Config config = small_config();
  const BatchBuilder batch = make_batch(config, fixture_lengths());
  const Batch view = batch.batch();
  Trainer free(config, {}, 1);
  Trainer clipped(config, {.clip = 1e-3}, 1);
  EXPECT_EQ(free.update({&view, 1}).gradient_norm, clipped.update({&view, 1}).gradient_norm);
}

TEST(Trainer, ANonFiniteGradientChangesNothingAndSaysSo) {
  Config config = small_config();
  Trainer trainer(config, {}, 2);
  Tensors broken = formula_parameters(config);
  broken["embedding.weight"][5] = std::numeric_limits<double>::infinity();
  restart_from(trainer, broken);
  const std::vector<float> before(trainer.model().values().begin(), trainer.model().values().end());
  const BatchBuilder batch = make_batch(config, fixture_lengths());
  const Batch view = batch.batch();
  EXPECT_TRUE(trainer.update({&view, 1}).skipped);
  EXPECT_EQ(trainer.updates(), 0);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), trainer.model().values().begin()));
  // The gradient of the bad update must not leak into the next one.
  restart_from(trainer, formula_parameters(config));
  EXPECT_FALSE(trainer.update({&view, 1}).skipped);
}

// One update with weight decay and one without, from the same weights and gradient, differ by rate · decay · θ.
TEST(Trainer, WeightDecayShrinksMatricesAndNotVectors) {
  const Config config = small_config();
  const BatchBuilder batch = make_batch(config, fixture_lengths());
  const Batch view = batch.batch();
  const TrainingOptions plain{.schedule = {.warmup = 1, .peak = 0.01}};
  TrainingOptions decaying = plain;
  decaying.adam.weight_decay = 0.5;
  Trainer without(config, plain, 1);
  Trainer with(config, decaying, 2);
  const std::vector<float> before(with.model().values().begin(), with.model().values().end());
  without.update({&view, 1});
  with.update({&view, 1});
  for (const Tensor& t : list_tensors(config)) {
    for (Index i = t.offset; i < t.offset + t.rows * t.cols; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double decay = t.rows > 1 ? 0.01 * 0.5 * static_cast<double>(before[at]) : 0.0;
      EXPECT_NEAR(static_cast<double>(without.model().values()[at] - with.model().values()[at]), decay, 1e-6) << t.name;
    }
  }
}

TEST(Trainer, LearnsToRepeatATinyCorpus) {
  Config config = small_config();
  config.d_model = 32;
  config.d_ff = 64;
  const BatchBuilder batch = make_batch(config, {{5, 5}, {4, 6}, {7, 3}});
  const Batch view = batch.batch();
  Trainer trainer(config, {.schedule = {.warmup = 50, .peak = 0.005}}, 2);
  const double first = trainer.evaluate(view).plain;
  for (int i = 0; i < 150; ++i) trainer.update({&view, 1});
  EXPECT_LT(trainer.evaluate(view).plain, 0.05 * first);
}

TEST(Trainer, RefusesBadBatchesBeforeAnyArithmetic) {
  const Config config = small_config();
  Trainer trainer(config, {}, 1);
  BatchBuilder bad;
  const std::vector<int> fine{2};
  const std::vector<int> broken{99};
  bad.add(fine, broken);
  const Batch view = bad.batch();
  EXPECT_THROW(trainer.update({&view, 1}), Error);
  EXPECT_THROW(trainer.evaluate(view), Error);
  const BatchBuilder none;
  const Batch empty = none.batch();
  EXPECT_THROW(trainer.update({&empty, 1}), Error);
  EXPECT_EQ(trainer.evaluate(empty).tokens, 0);
}

}  // namespace
}  // namespace heed
