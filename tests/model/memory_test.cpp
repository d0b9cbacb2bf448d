#include "model/memory_need.h"

#include "heed/error.h"
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

// Scratch that a training step over sentences of these lengths takes.
std::size_t step_scratch(const Config& config, const std::vector<std::pair<Index, Index>>& lengths) {
  ThreadPool pool(2);
  Arena arena;
  const Workspace workspace{pool, arena};
  Transformer model(config, Purpose::training);
  initialise(layout_of(config), 1, model.values().data());
  model.pack(workspace);
  std::vector<float> values(model.values().size(), 0.0f);
  const BatchBuilder batch = make_batch(config, lengths);
  compute_gradient(model, batch.batch(), {}, bind_parameters(config, values.data()), workspace);
  return arena.peak();
}

TEST(Memory, TrainingEstimateIsCloseToWhatAStepTakes) {
  Config config = preset("tiny");
  config.source_vocab = config.target_vocab = 3000;
  const auto compare = [&] {
    const std::vector<std::pair<Index, Index>> lengths(20, {60, 50});
    const auto want = static_cast<double>(step_scratch(config, lengths));
    const auto got = static_cast<double>(memory_need(config, 1200, 1000, Purpose::training).activations);
    EXPECT_NEAR(got / want, 1.0, 0.15);
  };
  for (const Norm norm : {Norm::after, Norm::before}) {
    for (const Activation activation : {Activation::relu, Activation::gelu_tanh}) {
      config.norm = norm;
      config.activation = activation;
      config.decoder_d_ff = activation == Activation::relu ? 0 : 640;
      config.embedding_norm = config.final_norm = activation != Activation::relu;
      compare();
    }
  }
  config.encoder_mixer = config.decoder_mixer = {MixerKind::ssru};
  compare();
}

TEST(Memory, GrowsLinearlyWithTheLengthOfOneSentence) {
  Config config = small_config();
  const auto short_one = static_cast<double>(step_scratch(config, {{1024, 1024}}));
  const auto long_one = static_cast<double>(step_scratch(config, {{2048, 2048}}));
  EXPECT_LE(long_one / short_one, 2.1);
}

TEST(Memory, ModelsBeyondTheMachineAreRefused) {
  Config config = preset("base");
  config.source_vocab = config.target_vocab = 2000000000;
  try {
    check_memory(config, Purpose::training);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("vocab-size 2000000000"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed
