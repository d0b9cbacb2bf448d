#include "decoding/sample.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "decoding/search_case.h"

namespace heed {
namespace {

using kernels::Candidate;

constexpr int draws = 20000;

// How often each token is drawn.
std::map<int, double> frequencies(const std::vector<float>& logits, const Sampling& sampling) {
  std::vector<Candidate> scratch(logits.size());
  std::map<int, int> counts;
  for (std::uint64_t key = 0; key < draws; ++key) {
    const Candidate drawn = sample(logits, sampling, random_key(sampling.seed, key), scratch);
    EXPECT_TRUE(drawn.token < 0 || drawn.logit == logits[static_cast<std::size_t>(drawn.token)]);
    ++counts[drawn.token];
  }
  std::map<int, double> shares;
  for (const auto& [token, count] : counts) shares[token] = static_cast<double>(count) / draws;
  return shares;
}

// The softmax over only these tokens.
std::map<int, double> softmax(const std::vector<float>& logits, const std::vector<int>& tokens, double temperature) {
  std::map<int, double> result;
  double sum = 0.0;
  for (const int token : tokens) {
    result[token] = std::exp(static_cast<double>(logits[static_cast<std::size_t>(token)]) / temperature);
    sum += result[token];
  }
  for (auto& [token, p] : result) p /= sum;
  return result;
}

void expect_near(const std::map<int, double>& got, const std::map<int, double>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (const auto& [token, p] : want) {
    ASSERT_TRUE(got.contains(token)) << what << ", token " << token;
    // Five standard deviations of a frequency.
    EXPECT_NEAR(got.at(token), p, 5.0 * std::sqrt(p * (1.0 - p) / draws)) << what << ", token " << token;
  }
}

const std::vector<float> logits{0.5f, -1.0f, 2.0f, 1.0f, 2.0f, -1.5f};

TEST(Sample, DrawsAsOftenAsTheSoftmaxSays) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5};
  for (const float temperature : {0.5f, 1.0f, 3.0f}) {
    expect_near(frequencies(logits, {.on = true, .temperature = temperature}),
                softmax(logits, all, static_cast<double>(temperature)), std::to_string(temperature));
  }
}

TEST(Sample, TopKLeavesTheMostProbableTokens) {
  expect_near(frequencies(logits, {.on = true, .top_k = 3}), softmax(logits, {2, 4, 3}, 1.0), "3");
  expect_near(frequencies(logits, {.on = true, .top_k = 100}), softmax(logits, {0, 1, 2, 3, 4, 5}, 1.0), "all");
  expect_near(frequencies(logits, {.on = true, .top_k = 1}), {{2, 1.0}}, "the lower token in a tie");
}

TEST(Sample, TopPLeavesTheFewestTokensThatHoldIt) {
  // Probabilities: 0.374 each for 2 and 4, 0.138 for 3, 0.084 for 0, 0.019 for 1, 0.011 for 5.
  expect_near(frequencies(logits, {.on = true, .top_p = 0.3f}), {{2, 1.0}}, "0.3");
  expect_near(frequencies(logits, {.on = true, .top_p = 0.7f}), softmax(logits, {2, 4}, 1.0), "0.7");
  expect_near(frequencies(logits, {.on = true, .top_p = 0.8f}), softmax(logits, {2, 4, 3}, 1.0), "0.8");
  expect_near(frequencies(logits, {.on = true, .top_k = 2, .top_p = 0.9f}), softmax(logits, {2, 4}, 1.0), "of the two");
}

TEST(Sample, NeverDrawsWhatIsBannedOrNotANumber) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<Candidate> scratch(3);
  EXPECT_FALSE(frequencies({1.0f, -infinity, 0.0f}, {.on = true}).contains(1));
  EXPECT_FALSE(frequencies({1.0f, -infinity, 0.0f}, {.on = true, .top_k = 3, .top_p = 0.99f}).contains(1));
  const std::vector<float> none{-infinity, -infinity, -infinity};
  EXPECT_EQ(sample(none, {.on = true}, 1, scratch).token, -1);
  const std::vector<float> broken{1.0f, std::numeric_limits<float>::quiet_NaN(), 0.0f};
  EXPECT_EQ(sample(broken, {.on = true}, 1, scratch).token, -1);
}

TEST(Sampling, TokensComeAsOftenAsTheModelSays) {
  SearchCase c(small_config());
  const std::vector<int> source{5, 9, 4, end_token};
  const std::vector<double> model = next_log_probabilities(c.model, source, {}, c.workspace);
  std::map<int, int> counts;
  constexpr int seeds = 20;
  constexpr int draws_each = 1000;
  for (int seed = 0; seed < seeds; ++seed) {
    const SearchOptions options{
        .n_best = draws_each, .max_length = 1, .sampling = {.on = true, .seed = static_cast<std::uint64_t>(seed)}};
    const Results got = c.search({source}, options);
    for (const Hypothesis& h : got.at(0)) ++counts[h.tokens.empty() ? end_token : h.tokens[0]];
  }
  for (std::size_t token = 0; token < model.size(); ++token) {
    const double p = std::exp(model[token]);
    const double n = seeds * draws_each;
    EXPECT_NEAR(counts[static_cast<int>(token)] / n, p, 5.0 * std::sqrt(p * (1.0 - p) / n)) << token;
  }
}

TEST(Sampling, TopKOfOneAndASmallTemperatureEqualGreedy) {
  SearchCase c(config_with_output_bias());
  c.favour_end(1.0f);
  const Sources sources = make_sources(c.model.config(), {1, 3, 6, 9, 2});
  const Results want = c.search(sources, {.beam = 1, .extra_length = 8});
  const SearchOptions first{.extra_length = 8, .sampling = {.on = true, .top_k = 1}};
  expect_same_bits(c.search(sources, first), want, "top-k 1");
  for (const float temperature : {1e-4f, 1e-30f, std::numeric_limits<float>::min(), 1e-38f, 1e-45f}) {
    const SearchOptions cold{.extra_length = 8, .sampling = {.on = true, .temperature = temperature}};
    expect_same_bits(c.search(sources, cold), want, "temperature " + std::to_string(std::log10(temperature)));
  }
  const SearchOptions narrow{.extra_length = 8, .sampling = {.on = true, .top_p = 1e-6f}};
  expect_same_bits(c.search(sources, narrow), want, "top-p");
}

TEST(Sampling, TheSameSeedDrawsTheSameInAnyCompany) {
  const Config config = config_with_output_bias();
  const Sources sources = make_sources(config, {4, 9, 1, 30, 2, 7, 4, 12, 5, 3, 3, 8, 20, 6, 2, 10, 15, 1});
  const SearchOptions options{.n_best = 3, .extra_length = 10, .sampling = {.on = true, .seed = 7}};
  SearchCase c(config);
  const Results want = c.search(sources, options);
  for (const Index batch : {1, 5, 17}) {
    for (const int threads : {1, 2, 3}) {
      SearchCase other(config, threads);
      expect_same_bits(other.search(sources, options, batch), want,
                       std::to_string(batch) + ", " + std::to_string(threads) + " threads");
    }
  }
  Sources turned(sources.rbegin(), sources.rend());
  expect_same_bits(c.search(turned, options), Results(want.rbegin(), want.rend()), "turned");
  expect_same_bits(c.search({sources[3], sources[3]}, options), {want[3], want[3]}, "twice");
}

TEST(Sampling, DrawsAndSeedsAndSentencesDiffer) {
  SearchCase c(small_config());
  const Sources sources = make_sources(c.model.config(), {9, 10});
  std::set<std::string> texts;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SearchOptions options{.n_best = 5, .min_length = 12, .sampling = {.on = true, .seed = seed}};
    for (const std::vector<Hypothesis>& list : c.search(sources, options)) {
      EXPECT_EQ(list.size(), 5u);
      for (std::size_t i = 0; i < list.size(); ++i) {
        texts.insert(text_of(list[i]));
        EXPECT_LE(list[i].score, list[i == 0 ? 0 : i - 1].score);
      }
    }
  }
  EXPECT_EQ(texts.size(), 30u);
}

TEST(Sampling, TheScoreIsTheModelsOwnAtAnyTemperature) {
  SearchCase c(small_config());
  const Sources sources = make_sources(c.model.config(), {5, 8});
  const SearchOptions options{
      .n_best = 4, .extra_length = 6, .sampling = {.on = true, .temperature = 2.0f, .top_k = 5, .top_p = 0.9f}};
  const Results got = c.search(sources, options);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Hypothesis& h : got[s]) EXPECT_NEAR(h.log_probability / -forced_loss(c, sources[s], h), 1.0, 1e-5);
  }
}

}  // namespace
}  // namespace heed
