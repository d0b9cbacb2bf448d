#include "decoding/search_case.h"
#include "decoding/steps_of.h"
#include "heed/error.h"

namespace heed {
namespace {

// Two models of different shapes that share a vocabulary.
struct Pair {
  explicit Pair(int threads = 1) : first(config_with_output_bias(), threads), second(other_config(), threads) {
    second.scale_output(1.5f);
  }
  static Config other_config() {
    Config config = config_with_output_bias();
    config.d_model = 12;
    config.d_ff = 20;
    config.decoder_layers = 2;
    config.positions = Positions::learned;
    return config;
  }
  Results search(const Sources& sources, const SearchOptions& options, Index batch = 64) {
    return search(StepsOf{&first.model, &second.model}, sources, options, batch);
  }
  Results search(const StepsOf& models, const Sources& sources, const SearchOptions& options, Index batch = 64) {
    BatchBuilder builder;
    for (const std::vector<int>& source : sources) builder.add(source, {});
    return heed::search(models, builder.batch().source, options, batch, first.workspace);
  }

  SearchCase first, second;
};

TEST(Ensemble, TheScoreIsTheMeanOfTheLogProbabilities) {
  Pair pair;
  const Sources sources = make_sources(pair.first.model.config(), {4, 1, 9});
  const Results got = pair.search(sources, {.beam = 3, .n_best = 3, .extra_length = 6});
  for (std::size_t s = 0; s < sources.size(); ++s) {
    ASSERT_EQ(got[s].size(), 3u);
    for (const Hypothesis& h : got[s]) {
      std::vector<int> before;
      for (std::size_t i = 0; i <= h.tokens.size(); ++i) {
        const int token = i < h.tokens.size() ? h.tokens[i] : end_token;
        const auto log_probability = [&](SearchCase& c) {
          return next_log_probabilities(c.model, sources[s], before, c.workspace)[static_cast<std::size_t>(token)];
        };
        EXPECT_NEAR(static_cast<double>(h.log_probabilities[i]),
                    0.5 * (log_probability(pair.first) + log_probability(pair.second)), 1e-5);
        before.push_back(token);
      }
      EXPECT_NEAR(h.log_probability,
                  -0.5 * (forced_loss(pair.first, sources[s], h) + forced_loss(pair.second, sources[s], h)), 1e-4);
      EXPECT_DOUBLE_EQ(h.score, score_of(h.log_probability, h.tokens.size()));
    }
  }
}

TEST(Ensemble, WithWidthOneTakesTheBestMeanAtEachStep) {
  Pair pair;
  bool differs = false;
  for (const std::vector<int>& source : make_sources(pair.first.model.config(), {4, 2, 9, 6})) {
    std::vector<int> tokens;
    while (tokens.size() < source.size() + 5) {
      const auto a = next_log_probabilities(pair.first.model, source, tokens, pair.first.workspace);
      const auto b = next_log_probabilities(pair.second.model, source, tokens, pair.second.workspace);
      std::size_t best = 0;
      for (std::size_t t = 0; t < a.size(); ++t) best = a[t] + b[t] > a[best] + b[best] ? t : best;
      if (best == end_token) break;
      tokens.push_back(static_cast<int>(best));
    }
    EXPECT_EQ(pair.search({source}, {.beam = 1, .extra_length = 6})[0].at(0).tokens, tokens);
    differs = differs || greedy(pair.first, source, tokens.size()) != tokens;
  }
  EXPECT_TRUE(differs) << "or the second model would have no effect";
}

TEST(Ensemble, OfAModelWithItselfIsTheModel) {
  Pair pair;
  const Sources sources = make_sources(pair.first.model.config(), {4, 1, 9, 20});
  const SearchOptions options{.beam = 3, .n_best = 3, .extra_length = 6, .alignment = true};
  expect_same_bits(pair.search(StepsOf{&pair.first.model, &pair.first.model}, sources, options),
                   pair.search(StepsOf{&pair.first.model}, sources, options), "twice");
}

TEST(Ensemble, ASentenceHasTheSameBitsInAnyCompany) {
  Pair pair;
  const Sources sources = make_sources(pair.first.model.config(), {4, 1, 9, 20, 3, 7, 7, 2});
  const SearchOptions options{.beam = 3, .n_best = 3, .extra_length = 6};
  const Results want = pair.search(sources, options);
  for (const int threads : {2, 3}) {
    Pair other(threads);
    expect_same_bits(other.search(sources, options, 3), want, std::to_string(threads) + " threads");
  }
}

TEST(Ensemble, LearnedPositionsOfOneModelBoundAll) {
  Config config = Pair::other_config();
  config.max_positions = 5;
  SearchCase bounded(config);
  Pair pair;
  pair.first.favour_end(-1000.0f);
  bounded.favour_end(-1000.0f);
  const auto got = pair.search(StepsOf{&pair.first.model, &bounded.model}, {{4, end_token}}, {});
  EXPECT_EQ(got[0].at(0).tokens.size(), 4u);
}

TEST(Ensemble, OtherVocabulariesOrStartsAreRefused) {
  Pair pair;
  Config config = small_config();
  config.source_vocab = config.target_vocab = 12;
  SearchCase larger(config);
  config = small_config();
  config.start = StartFrom::zero;
  SearchCase other_start(config);
  for (const Transformer* other : {&larger.model, &other_start.model}) {
    EXPECT_THROW(pair.search(StepsOf{&pair.first.model, other}, {{4, end_token}}, {}), Error);
  }
  EXPECT_THROW(pair.search(StepsOf{}, {{4, end_token}}, {}), Error);
}

}  // namespace
}  // namespace heed
