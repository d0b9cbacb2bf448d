// heed against the scalar reference in doubles: every variant, odd shapes, dropout, and the same bits on any number of
// threads.
#include "model/compare.h"

namespace heed {
namespace {

TEST(Gradient, EveryVariantEqualsTheReference) {
  for (const Fixture& fixture : read_fixtures())
    compare_with_reference(fixture.name, fixture.config, fixture_lengths());
}

TEST(Gradient, OddLengthsEqualTheReference) {
  const Config config = small_config();
  compare_with_reference("1 token", config, {{1, 1}});
  for (const Index length : {2, 63, 64, 65, 513}) {
    compare_with_reference("length " + std::to_string(length), config, {{length, length}});
    compare_with_reference("unequal length " + std::to_string(length), config, {{length, 3}, {2, length}});
  }
}

TEST(Gradient, OddSizesEqualTheReference) {
  const Config one_head = with(small_config(), [](Config& c) { c.heads = 1; });
  compare_with_reference("1 head", one_head, fixture_lengths());
  compare_with_reference("d_k 3", with(one_head, [](Config& c) { c.d_k = 3; }), fixture_lengths());
  const Config narrow = with(small_config(), [](Config& c) {
    c.d_model = 6;
    c.heads = 3;
    c.d_ff = 1;
  });
  compare_with_reference("d_model 6, d_ff 1", narrow, fixture_lengths());
  const Config wider = with(small_config(), [](Config& c) {
    c.d_model = 34;
    c.d_ff = 71;
    c.heads = 17;
    c.source_vocab = c.target_vocab = 67;
  });
  compare_with_reference("beyond one vector", wider, fixture_lengths());
  const Config widest = with(small_config(), [](Config& c) {
    c.d_model = 130;
    c.d_ff = 200;
    c.heads = 5;
    c.source_vocab = c.target_vocab = 150;
  });
  compare_with_reference("beyond one tile", widest, {{100, 30}, {7, 90}});
}

TEST(Gradient, RecurrentMixersOfAnyWidthEqualTheReference) {
  Config config = small_config();
  config.encoder_mixer = config.decoder_mixer = {MixerKind::ssru};
  config.positions = Positions::none;
  for (const Index width : {1, 3, 7, 63, 129}) {
    config.d_model = width;
    config.heads = 1;
    compare_with_reference("d_model " + std::to_string(width), config, {{9, 12}, {1, 1}, {20, 3}});
  }
}

TEST(Gradient, VocabularyOfOneLosesNothing) {
  Config config = small_config();
  config.source_vocab = config.target_vocab = 1;
  config.start = StartFrom::zero;
  const BatchBuilder batch = make_batch(config, {{2, 3}});
  EXPECT_NEAR(compute(config, formula_parameters(config), batch.batch(), {}, 1).loss.smoothed, 0.0, 1e-6);
}

TEST(Gradient, DropoutEqualsTheReference) {
  Config config = small_config();
  for (const Norm norm : {Norm::after, Norm::before}) {
    config.norm = norm;
    for (const bool embedding_norm : {false, true}) {
      config.embedding_norm = embedding_norm;
      compare_with_reference("dropout", config, fixture_lengths(),
                             {.rate = 0.3f, .update_key = 99, .first_sentence = 5});
    }
  }
  config.encoder_mixer = config.decoder_mixer = {MixerKind::ssru};
  compare_with_reference("dropout, ssru", config, fixture_lengths(),
                         {.rate = 0.3f, .update_key = 99, .first_sentence = 5});
}

TEST(Gradient, AnEmptyBatchHasNoLoss) {
  const Config config = small_config();
  const BatchBuilder none;
  const Computed got = compute(config, formula_parameters(config), none.batch(), {}, 2);
  EXPECT_EQ(got.loss.tokens, 0);
  for (const auto& [name, gradient] : got.gradient) {
    for (const double g : gradient) EXPECT_EQ(g, 0.0) << name;
  }
}

void expect_same_bits_on_any_threads(Config config) {
  config.d_ff = 150;
  config.encoder_layers = 2;
  const BatchBuilder batch = make_batch(config, {{30, 20}, {1, 5}, {90, 70}, {64, 65}, {200, 150}});
  const Tensors parameters = formula_parameters(config);
  const Dropout dropout{.rate = 0.1f, .update_key = 3, .first_sentence = 0};
  const Computed one = compute(config, parameters, batch.batch(), dropout, 1);
  for (const int threads : {1, 2, 3, 5}) {
    const Computed other = compute(config, parameters, batch.batch(), dropout, threads);
    EXPECT_EQ(one.logits, other.logits) << threads;
    EXPECT_EQ(one.gradient, other.gradient) << threads;
    EXPECT_EQ(one.loss.smoothed, other.loss.smoothed) << threads;
  }
}

TEST(Gradient, HasTheSameBitsOnAnyNumberOfThreads) {
  expect_same_bits_on_any_threads(with(small_config(), [](Config& c) { c.d_model = 64; }));
  expect_same_bits_on_any_threads(with(small_config(), [](Config& c) {
    c.d_model = 200;
    c.encoder_mixer = c.decoder_mixer = {MixerKind::ssru};
  }));
}

void expect_same_logits_in_any_company(const Config& config) {
  const Tensors parameters = formula_parameters(config);
  const Computed alone = compute(config, parameters, make_batch(config, {{20, 17}}).batch(), {}, 1);
  const Computed first = compute(config, parameters, make_batch(config, {{20, 17}, {80, 100}, {3, 1}}).batch(), {}, 2);
  EXPECT_EQ(alone.logits, std::vector<float>(first.logits.begin(),
                                             first.logits.begin() + static_cast<std::ptrdiff_t>(alone.logits.size())));
}

TEST(Gradient, ASentenceHasTheSameLogitsInAnyCompany) {
  expect_same_logits_in_any_company(with(small_config(), [](Config& c) { c.d_model = 64; }));
  expect_same_logits_in_any_company(with(small_config(), [](Config& c) {
    c.d_model = 200;
    c.encoder_mixer = c.decoder_mixer = {MixerKind::ssru};
  }));
}

TEST(Gradient, AnySplitOfAnUpdateDrawsTheSameMasks) {
  const Config config = small_config();
  const Tensors parameters = formula_parameters(config);
  Dropout dropout{.rate = 0.5f, .update_key = 8, .first_sentence = 0};
  BatchBuilder whole;
  BatchBuilder first;
  BatchBuilder second;
  const std::vector<int> a{3, 4, 5, 2};
  const std::vector<int> b{6, 7, 2};
  whole.add(a, b);
  whole.add(b, a);
  first.add(a, b);
  second.add(b, a);
  const double together = compute(config, parameters, whole.batch(), dropout, 1).loss.smoothed;
  double apart = compute(config, parameters, first.batch(), dropout, 1).loss.smoothed;
  const double same_place = compute(config, parameters, second.batch(), dropout, 1).loss.smoothed;
  dropout.first_sentence = 1;
  const double next_place = compute(config, parameters, second.batch(), dropout, 1).loss.smoothed;
  EXPECT_DOUBLE_EQ(together, apart + next_place);
  EXPECT_NE(same_place, next_place);
}

TEST(Gradient, LossAloneEqualsTheLossWithGradient) {
  const Config config = small_config();
  const Tensors parameters = formula_parameters(config);
  const BatchBuilder batch = make_batch(config, fixture_lengths());
  ThreadPool pool(2);
  Arena arena;
  const Workspace workspace{pool, arena};
  Transformer model(config, Purpose::inference);
  set_values(model, parameters);
  model.pack(workspace);
  const Loss alone = compute_loss(model, batch.batch(), config.label_smoothing, workspace);
  EXPECT_EQ(alone.smoothed, compute(config, parameters, batch.batch(), {}, 1).loss.smoothed);
  EXPECT_EQ(arena.used(), 0u);
}

}  // namespace
}  // namespace heed
