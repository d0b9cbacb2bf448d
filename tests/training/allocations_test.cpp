// No allocation in a training step.
#include "allocations.h"

#include <gtest/gtest.h>

#include "model/cases.h"
#include "training/trainer.h"

namespace heed {
namespace {

void expect_none_in_a_step(const Config& config, const std::string& what) {
  Trainer trainer(config, {.clip = 1.0}, 2);
  const BatchBuilder a = make_batch(config, {{30, 25}, {70, 65}});
  const BatchBuilder b = make_batch(config, {{10, 12}, {80, 90}, {1, 1}});
  const Batch batches[] = {a.batch(), b.batch()};
  const Batch turned[] = {b.batch(), a.batch()};
  trainer.update(batches);
  trainer.update(batches);
  const long before = allocation_count();
  trainer.update(batches);
  trainer.update(turned);
  trainer.update(batches);
  EXPECT_EQ(allocation_count() - before, 0) << what;
}

TEST(Allocations, NoneInATrainingStepAfterTheSecond) {
  Config config = preset("tiny");
  config.source_vocab = config.target_vocab = 500;
  config.encoder_layers = config.decoder_layers = 2;
  expect_none_in_a_step(config, "tiny");
  for (const MixerCase& mixers : mixer_cases()) expect_none_in_a_step(mixers.config, mixers.name);
}

}  // namespace
}  // namespace heed
