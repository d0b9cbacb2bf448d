// What holds for every kind of mixer in training. The kinds come from mixer_cases().
#include "model/compare.h"

namespace heed {
namespace {

TEST(Mixers, EqualTheReferenceAtEveryLength) {
  for (const MixerCase& c : mixer_cases()) {
    for (const Index length : {1, 2, 63, 64, 65, 130}) {
      compare_with_reference(c.name + ", length " + std::to_string(length), c.config,
                             {{length, length}, {2, length}, {7, 3}});
    }
  }
}

TEST(Mixers, EqualTheReferenceWithBiasesNormBeforeAndDropout) {
  for (MixerCase c : mixer_cases()) {
    c.config.attention_bias = true;
    c.config.norm = Norm::before;
    compare_with_reference(c.name, c.config, {{30, 9}, {4, 70}}, {.rate = 0.3f, .update_key = 99, .first_sentence = 5});
  }
}

TEST(Mixers, HaveTheSameBitsOnAnyNumberOfThreads) {
  for (MixerCase c : mixer_cases()) {
    c.config.d_model = 36;
    c.config.heads = 4;
    const BatchBuilder batch = make_batch(c.config, {{30, 20}, {1, 5}, {90, 70}, {64, 65}});
    const Tensors parameters = formula_parameters(c.config);
    const Computed one = compute(c.config, parameters, batch.batch(), {}, 1);
    for (const int threads : {2, 5}) {
      const Computed other = compute(c.config, parameters, batch.batch(), {}, threads);
      EXPECT_EQ(one.logits, other.logits) << c.name << ", " << threads;
      EXPECT_EQ(one.gradient, other.gradient) << c.name << ", " << threads;
    }
  }
}

TEST(Mixers, GiveASentenceTheSameLogitsInAnyCompany) {
  for (const MixerCase& c : mixer_cases()) {
    const Tensors parameters = formula_parameters(c.config);
    const Computed alone = compute(c.config, parameters, make_batch(c.config, {{20, 70}}).batch(), {}, 1);
    const Computed first = compute(c.config, parameters, make_batch(c.config, {{20, 70}, {80, 9}}).batch(), {}, 2);
    EXPECT_TRUE(std::equal(alone.logits.begin(), alone.logits.end(), first.logits.begin())) << c.name;
  }
}

// Windows, and numbers of globals, that cover every sentence of up to 200 tokens.
std::vector<Config> wide_windows(const Config& config) {
  Config wide = config;
  wide.encoder_mixer = wide.decoder_mixer = {MixerKind::window};
  std::vector<Config> configs;
  for (const auto& [window, globals] : {std::pair<Index, Index>{200, 0}, {1, 200}, {Config::largest_size, 5}}) {
    wide.window = window;
    wide.globals = globals;
    configs.push_back(wide);
  }
  return configs;
}

TEST(WindowMixer, HasTheBitsOfAttentionWhereItHoldsTheSentence) {
  Config config = small_config();
  config.encoder_layers = config.decoder_layers = 2;
  const BatchBuilder batch = make_batch(config, {{30, 20}, {1, 5}, {90, 70}, {64, 65}});
  const Tensors parameters = formula_parameters(config);
  const Computed want = compute(config, parameters, batch.batch(), {}, 2);
  for (const Config& wide : wide_windows(config)) {
    const Computed got = compute(wide, parameters, batch.batch(), {}, 2);
    EXPECT_EQ(got.logits, want.logits) << wide.window;
    EXPECT_EQ(got.gradient, want.gradient) << wide.window;
  }
}

TEST(WindowMixer, StartsAsAttentionDoes) {
  const Config config = small_config();
  const auto initial_values = [](const Config& c) {
    std::vector<float> values(static_cast<std::size_t>(count_parameters(c)));
    initialise(layout_of(c), 1, values.data());
    return values;
  };
  for (const Config& wide : wide_windows(config)) {
    EXPECT_EQ(initial_values(wide), initial_values(config));
    const std::vector<Tensor> tensors = list_tensors(wide);
    EXPECT_TRUE(std::ranges::equal(tensors, list_tensors(config), {}, &Tensor::name, &Tensor::name));
  }
}

}  // namespace
}  // namespace heed
