#include "decoding/search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "decoding/search_case.h"
#include "decoding/steps_of.h"
#include "heed/error.h"
#include "model/int8_weights.h"
#include "model/model_info.h"

namespace heed {
namespace {

void compare_with_slow(const std::string& what, SearchCase& c, const Sources& sources, const SearchOptions& options,
                       Index batch = 64) {
  const Results got = c.search(sources, options, batch);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    expect_equal(got[s], slow_search(c.model, sources[s], options, c.workspace), what);
  }
}

TEST(BeamSearch, EveryVariantFindsWhatTheSlowSearchFinds) {
  const SearchOptions options{.beam = 3, .alpha = 0.6f, .n_best = 3, .extra_length = 4};
  for (const Fixture& fixture : read_fixtures()) {
    SearchCase c(fixture.config);
    compare_with_slow(fixture.name, c, make_sources(fixture.config, {3, 1, 6, 2}), options, 2);
  }
}

TEST(BeamSearch, OddSizesFindWhatTheSlowSearchFinds) {
  const SearchOptions options{.beam = 4, .n_best = 2, .extra_length = 5};
  Config config = small_config();
  config.heads = 1;
  SearchCase one_head(config);
  compare_with_slow("1 head", one_head, make_sources(config, {5, 1, 9}), options, 3);
  config.d_k = 3;
  config.d_v = 5;
  SearchCase small_heads(config);
  compare_with_slow("d_k 3", small_heads, make_sources(config, {5, 1, 9}), options, 3);
  config = small_config();
  config.d_model = 34;
  config.d_ff = 71;
  config.heads = 17;
  config.decoder_layers = 2;
  config.source_vocab = config.target_vocab = 67;
  SearchCase beyond_a_vector(config);
  compare_with_slow("beyond one vector", beyond_a_vector, make_sources(config, {5, 1, 9, 4}), options, 3);
}

TEST(BeamSearch, WidthOneEqualsGreedy) {
  std::set<bool> finished;
  for (const float shift : {-1.0f, 1.0f, 1.5f, 2.0f}) {
    SearchCase c(config_with_output_bias());
    c.favour_end(shift);
    const Sources sources = make_sources(c.model.config(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    const Results got = c.search(sources, {.beam = 1, .extra_length = 12}, 4);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const std::size_t most = sources[s].size() - 1 + 12;
      const std::vector<int> tokens = greedy(c, sources[s], most);
      EXPECT_EQ(got[s].at(0).tokens, tokens);
      EXPECT_EQ(got[s].at(0).finished, tokens.size() < most);
      finished.insert(got[s].at(0).finished);
    }
  }
  EXPECT_EQ(finished.size(), 2u) << "some sentences end by themselves and some at the limit";
}

TEST(BeamSearch, GreedyFindsTheSameWhetherScoresAreAskedForOrNot) {
  SearchCase c(config_with_output_bias());
  c.favour_end(1.0f);
  const Sources sources = make_sources(c.model.config(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  SearchOptions options{.beam = 1, .extra_length = 12, .min_length = 2, .no_repeat = 2};
  const Results scored = c.search(sources, options, 4);
  options.scores = false;
  const Results plain = c.search(sources, options, 4);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    EXPECT_EQ(plain[s].at(0).tokens, scored[s].at(0).tokens);
    EXPECT_EQ(plain[s].at(0).finished, scored[s].at(0).finished);
    EXPECT_LT(scored[s].at(0).log_probability, 0.0);
    EXPECT_EQ(plain[s].at(0).log_probability, 0.0);
  }
  options.beam = options.n_best = 2;  // the better of two cannot be known without scores
  const Results two = c.search(sources, options, 4);
  options.scores = true;
  expect_same_bits(two, c.search(sources, options, 4), "beam 2");
}

TEST(BeamSearch, WeightsThatAreNoNumbersAreAnError) {
  for (const bool scores : {false, true}) {
    Config config = small_config();
    config.tie = Tie::none;
    SearchCase c(config);
    c.scale_output(std::numeric_limits<float>::quiet_NaN());
    try {
      c.search(make_sources(c.model.config(), {3}), {.beam = 1, .scores = scores});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("NaN or infinite"), std::string::npos) << error.what();
    }
  }
}

TEST(BeamSearch, AWideBeamFindsTheBestOfAllTranslations) {
  Config config = small_config();
  config.tie = Tie::target;
  config.target_vocab = 4;
  SearchCase c(config);
  const std::vector<int> source{5, 9, end_token};
  // Every sequence of up to 4 pieces without </s>.
  std::vector<Hypothesis> all;
  std::vector<Hypothesis> open(1);
  for (std::size_t length = 0; length <= 4; ++length) {
    std::vector<Hypothesis> longer;
    for (const Hypothesis& h : open) {
      const std::vector<double> next = next_log_probabilities(c.model, source, h.tokens, c.workspace);
      Hypothesis ended = h;
      ended.log_probability += next[end_token];
      ended.score = score_of(ended.log_probability, length);
      ended.finished = length < 4;
      all.push_back(ended);
      for (const int token : {0, 1, 3}) {
        longer.push_back(h);
        longer.back().tokens.push_back(token);
        longer.back().log_probability += next[static_cast<std::size_t>(token)];
      }
    }
    open = longer;
  }
  ASSERT_EQ(all.size(), 121u);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  const Results got = c.search({source}, {.beam = 500, .alpha = 0.6f, .n_best = 121, .extra_length = 2});
  expect_equal(got[0], all, "all");
  const Results best = c.search({source}, {.beam = 500, .alpha = 0.6f, .n_best = 1, .extra_length = 2});
  expect_equal(best[0], {all[0]}, "best");
}

TEST(BeamSearch, StoppingEarlyLosesNothing) {
  Config config = config_with_output_bias();
  config.tie = Tie::none;
  for (const LengthPenalty penalty : {LengthPenalty::paper, LengthPenalty::power}) {
    for (const float alpha : {0.0f, 0.6f, 1.0f, 2.0f}) {
      for (const float shift : {-1.0f, 2.0f, 6.0f}) {
        SearchCase c(config);
        // With a confident model each further token costs little, and a long translation can overtake one that ended
        // before.
        c.scale_output(8.0f);
        c.favour_end(shift);
        const SearchOptions options{
            .beam = 4, .alpha = alpha, .length_penalty = penalty, .n_best = 1, .extra_length = 10};
        const std::string what = name_of(penalty) + ", alpha " + std::to_string(alpha);
        compare_with_slow(what, c, make_sources(config, {1, 2, 3, 4, 5, 7}), options);
      }
    }
  }
}

TEST(BeamSearch, TheLengthPenaltyDecidesWhichTranslationIsBest) {
  Config config = config_with_output_bias();
  config.tie = Tie::none;
  SearchCase c(config);
  c.scale_output(4.0f);
  c.favour_end(2.0f);
  const Sources sources = make_sources(config, {2, 3, 4, 5, 6, 7, 8, 9});
  SearchOptions options{.beam = 4, .alpha = 1.0f, .n_best = 4, .extra_length = 10};
  const Results paper = c.search(sources, options);
  options.length_penalty = LengthPenalty::power;
  const Results power = c.search(sources, options);
  bool differs = false;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    differs = differs || text_of(paper[s][0]) != text_of(power[s][0]);
    for (const Hypothesis& h : power[s]) {
      EXPECT_DOUBLE_EQ(h.score, h.log_probability / static_cast<double>(h.tokens.size() + 1));
    }
  }
  EXPECT_TRUE(differs);
}

// Integers in the weights and in the KV cache: close to teacher forcing with the same weights.
TEST(BeamSearch, IntegersScoreWhatTeacherForcingDoesInEveryVariant) {
  for (const Fixture& fixture : read_fixtures()) {
    SearchCase c(fixture.config);
    const Transformer integers(fixture.config, quantize(fixture.config, c.model.values()));
    const StepsOf models{&integers};
    BatchBuilder builder;
    const Sources sources = make_sources(fixture.config, {3, 1, 6});
    for (const std::vector<int>& source : sources) builder.add(source, {});
    const Results got = heed::search(models, builder.batch().source, {.extra_length = 3}, 2, c.workspace);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const Hypothesis& h = got[s].at(0);
      std::vector<int> target = h.tokens;
      target.push_back(end_token);
      BatchBuilder forced;
      forced.add(sources[s], target);
      const double loss = compute_loss(integers, forced.batch(), 0.0f, c.workspace).plain;
      EXPECT_NEAR(h.log_probability, -loss, 0.02 * static_cast<double>(target.size())) << fixture.name;
    }
  }
}

TEST(BeamSearch, ScoresAreThoseOfTheTrainingLossAtEveryLength) {
  for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
    Config config = config_with_output_bias();
    config.positions = positions;
    SearchCase c(config);
    c.favour_end(-1.0f);
    const Sources sources = make_sources(config, {1, 2, 63, 64, 65, 513});
    const Results got = c.search(sources, {.beam = 3, .n_best = 3, .extra_length = 20}, 4);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      for (const Hypothesis& h : got[s]) {
        const double loss = forced_loss(c, sources[s], h);
        EXPECT_NEAR(h.log_probability / -loss, 1.0, 1e-5);
        EXPECT_DOUBLE_EQ(h.score, score_of(h.log_probability, h.tokens.size()));
      }
    }
  }
}

TEST(BeamSearch, ScoresAreThoseOfTheReference) {
  for (const Fixture& fixture : read_fixtures()) {
    SearchCase c(fixture.config);
    const Sources sources = make_sources(fixture.config, {5});
    const Hypothesis h = c.search(sources, {.extra_length = 2})[0][0];
    std::vector<int> target = h.tokens;
    target.push_back(end_token);
    BatchBuilder builder;
    builder.add(sources[0], target);
    const double want = -reference::run(fixture.config, formula_parameters(fixture.config), builder.batch(), {}).plain;
    EXPECT_NEAR(h.log_probability, want, 1e-4) << fixture.name;
  }
}

TEST(BeamSearch, ASentenceHasTheSameBitsInAnyCompany) {
  Config config = config_with_output_bias();
  config.d_model = 64;
  config.d_ff = 150;
  config.heads = 4;
  config.decoder_layers = 2;
  const Sources sources =
      make_sources(config, {30, 1, 4, 9, 70, 2, 2, 5, 17, 23, 12, 66, 8, 3, 11, 40, 6, 19, 10, 7, 14});
  const SearchOptions options{.beam = 4, .n_best = 4, .extra_length = 10};
  SearchCase c(config, 1);
  c.favour_end(1.0f);
  const Results alone = c.search(sources, options);
  for (const Index batch : {1, 3, 17}) {
    for (const int threads : {1, 2, 3}) {
      SearchCase other(config, threads);
      other.favour_end(1.0f);
      expect_same_bits(other.search(sources, options, batch), alone,
                       "batch " + std::to_string(batch) + ", " + std::to_string(threads) + " threads");
    }
  }
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) { return scramble(a) < scramble(b); });
  Sources shuffled;
  Results want;
  for (const std::size_t s : order) {
    shuffled.push_back(sources[s]);
    want.push_back(alone[s]);
  }
  expect_same_bits(c.search(shuffled, options, 5), want, "shuffled");
}

TEST(BeamSearch, AModelInTrainingHasTheSameBits) {
  const Config config = small_config();
  SearchCase inference(config);
  SearchCase training(config, 2, Purpose::training);
  const Sources sources = make_sources(config, {4, 7, 1});
  expect_same_bits(training.search(sources, {}), inference.search(sources, {}), "training");
}

TEST(BeamSearch, NBestIsSortedAndDistinct) {
  SearchCase c(small_config());
  for (const std::vector<Hypothesis>& list :
       c.search(make_sources(c.model.config(), {6, 1, 3}), {.beam = 8, .n_best = 8, .extra_length = 5})) {
    EXPECT_EQ(list.size(), 8u);
    std::set<std::vector<int>> distinct;
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_TRUE(distinct.insert(list[i].tokens).second);
      EXPECT_LE(list[i].score, list[i == 0 ? 0 : i - 1].score);
    }
  }
}

TEST(BeamSearch, TranslationsEndAtTheLimitAndSaySo) {
  SearchCase c(config_with_output_bias());
  c.favour_end(-1000.0f);
  const Sources sources = make_sources(c.model.config(), {4, 1});
  const Results got = c.search(sources, {.extra_length = 7});
  EXPECT_EQ(got[0].at(0).tokens.size(), 10u);
  EXPECT_EQ(got[1].at(0).tokens.size(), 7u);
  EXPECT_FALSE(got[0].at(0).finished);
  EXPECT_NEAR(got[0].at(0).log_probability, -forced_loss(c, sources[0], got[0].at(0)), 1e-2);
  c.favour_end(2000.0f);
  const Results none = c.search(sources, {.extra_length = 7});
  EXPECT_TRUE(none[0].at(0).tokens.empty());
  EXPECT_TRUE(none[0].at(0).finished);
}

TEST(BeamSearch, LearnedPositionsBoundTheTranslation) {
  Config config = config_with_output_bias();
  config.positions = Positions::learned;
  config.max_positions = 8;
  SearchCase c(config);
  c.favour_end(-1000.0f);
  EXPECT_EQ(c.search(make_sources(config, {6}), {})[0].at(0).tokens.size(), 7u);
  EXPECT_THROW(c.search(make_sources(config, {9}), {}), Error);
}

TEST(BeamSearch, LearnedPositionsBeforeTheFirstOneAreNotCounted) {
  Config config = config_with_output_bias();
  config.positions = Positions::learned;
  config.max_positions = 8;
  config.position_start = 2;
  SearchCase c(config);
  c.favour_end(-1000.0f);
  const Hypothesis longest = c.search(make_sources(config, {6}), {})[0].at(0);
  EXPECT_EQ(longest.tokens.size(), 5u);
  EXPECT_NEAR(longest.log_probability, -forced_loss(c, make_sources(config, {6})[0], longest), 1e-2);
  EXPECT_THROW(c.search(make_sources(config, {7}), {}), Error);
}

TEST(BeamSearch, AnEmptyBatchHasNoResultsAndNoScratchIsKept) {
  SearchCase c(small_config());
  EXPECT_TRUE(c.search({}, {}).empty());
  c.search(make_sources(c.model.config(), {3, 2}), {});
  EXPECT_EQ(c.arena.used(), 0u);
}

TEST(BeamSearch, EverySentenceIsFoundOnce) {
  SearchCase c(small_config());
  const Sources sources = make_sources(c.model.config(), {3, 2, 9, 1, 4});
  const StepsOf models{&c.model};
  std::multiset<std::size_t> found;
  std::size_t next = 0;
  Search(models, 2, c.workspace).run([&]() -> std::unique_ptr<Request> {
    if (next == sources.size()) return nullptr;
    const std::size_t sentence = next++;
    const auto done = [&found, sentence](const std::vector<Hypothesis>&, const std::exception_ptr&) {
      found.insert(sentence);
    };
    return std::make_unique<Request>(Request{.source = sources[sentence], .done = done});
  });
  EXPECT_EQ(found, (std::multiset<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(BeamSearch, MemoryThatDoesNotLastFailsTheSentenceAlone) {
  Config config = small_config();
  config.encoder_layers = 6;
  SearchCase c(config);
  Arena little(std::size_t{4} << 20);
  const Workspace workspace{c.pool, little};
  const StepsOf models{&c.model};
  // The first fits neither the KV cache nor the arena, the second only the cache, the third both.
  const Sources sources = make_sources(config, {30000, 2300, 5});
  std::vector<std::string> errors(3);
  std::vector<std::vector<Hypothesis>> found(3);
  std::size_t next = 0;
  Search(models, 1, workspace).run([&]() -> std::unique_ptr<Request> {
    if (next == sources.size()) return nullptr;
    const auto done = [&, s = next](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
      found[s] = std::move(hypotheses);
      try {
        if (error != nullptr) std::rethrow_exception(error);
      } catch (const Error& e) {
        errors[s] = e.what();
      }
    };
    return std::make_unique<Request>(Request{.source = sources[next++], .options = {.beam = 1}, .done = done});
  });
  EXPECT_EQ(errors[0], "a beam of 1 needs more memory than is available; choose a smaller one");
  EXPECT_EQ(errors[1].find("out of memory"), 0u) << errors[1];
  EXPECT_EQ(errors[2], "");
  expect_same_bits({found[2]}, c.search({sources[2]}, {.beam = 1}), "after the others");
}

// A model that runs out of memory with inputs of three tokens.
class GreedyForMemory : public StepModel {
 public:
  explicit GreedyForMemory(const Transformer& model) : inner_(model) {}

  const StepLimits& limits() const override { return inner_.limits(); }
  const Linear& output() const override { return inner_.output(); }
  void check_input(std::span<const int> input) const override { inner_.check_input(input); }
  std::unique_ptr<StepSession> begin(const RowCounts& rows, Index positions, Arena& arena) const override {
    return std::make_unique<Session>(inner_.begin(rows, positions, arena));
  }

 private:
  class Session : public StepSession {
   public:
    explicit Session(std::unique_ptr<StepSession> inner) : inner_(std::move(inner)) {}
    void admit(const Admission& admission, const Workspace& workspace) override {
      if (admission.inputs.tokens.size() == 3) throw std::bad_alloc();
      inner_->admit(admission, workspace);
    }
    Matrix<const float> step(std::span<const StepRow> rows, Wanted wanted, const Workspace& workspace) override {
      return inner_->step(rows, wanted, workspace);
    }

   private:
    std::unique_ptr<StepSession> inner_;
  };

  TranslationModel inner_;
};

TEST(BeamSearch, AnyExceptionReachesTheSentenceAndTheSearchGoesOn) {
  SearchCase c(small_config());
  const GreedyForMemory model(c.model);
  const StepModel* models[] = {&model};
  const Sources sources = make_sources(c.model.config(), {5, 3, 4});
  std::vector<std::exception_ptr> errors(3);
  Results found(3);
  std::size_t next = 0;
  Search(models, 1, c.workspace).run([&]() -> std::unique_ptr<Request> {
    if (next == sources.size()) return nullptr;
    const auto done = [&, s = next](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
      found[s] = std::move(hypotheses);
      errors[s] = error;
    };
    return std::make_unique<Request>(Request{.source = sources[next++], .done = done});
  });
  EXPECT_EQ(errors[0], nullptr);
  ASSERT_NE(errors[1], nullptr);
  EXPECT_THROW(std::rethrow_exception(errors[1]), std::bad_alloc);
  EXPECT_EQ(errors[2], nullptr);
  expect_same_bits({found[0], {}, found[2]}, {c.search({sources[0]}, {})[0], {}, c.search({sources[2]}, {})[0]},
                   "beside the failure");
}

TEST(BeamSearch, OptionsThatDoNotFitAreRefusedByName) {
  SearchCase c(small_config());
  const Sources sources = make_sources(c.model.config(), {3});
  const auto message = [&](const SearchOptions& options) -> std::string {
    try {
      c.search(sources, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.beam = 0}), "beam is 0; choose 1 to 1024");
  EXPECT_EQ(message({.beam = 2, .n_best = 3}), "n-best is 3; choose 1 to the beam of 2, or a wider beam");
  EXPECT_EQ(message({.alpha = -1.0f}), "alpha is -1; choose 0 or more");
  EXPECT_EQ(message({.alpha = std::numeric_limits<float>::quiet_NaN()}), "alpha is nan; choose 0 or more");
  EXPECT_EQ(message({.extra_length = -1}), "extra-length is -1; choose 0 to 65536");
}

TEST(BeamSearch, AModelThatComputesNoNumbersIsAnError) {
  SearchCase c(config_with_output_bias());
  c.favour_end(std::numeric_limits<float>::quiet_NaN());
  EXPECT_THROW(c.search(make_sources(c.model.config(), {3}), {}), Error);
}

TEST(BeamSearch, TokensOutsideTheVocabularyAreAnError) {
  SearchCase c(small_config());
  EXPECT_THROW(c.search({{3, 11, end_token}}, {}), Error);
  EXPECT_THROW(c.search({{}}, {}), Error);
}

}  // namespace
}  // namespace heed
