// The effect of options and prefixes on a search.
#include <algorithm>
#include <numeric>
#include <set>

#include "decoding/search_case.h"
#include "heed/error.h"

namespace heed {
namespace {

bool begins_with(const std::vector<int>& tokens, const std::vector<int>& prefix) {
  return tokens.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
}

bool repeats(const std::vector<int>& tokens, std::size_t run) {
  std::set<std::vector<int>> seen;
  for (std::size_t i = 0; i + run <= tokens.size(); ++i) {
    if (!seen.insert({tokens.begin() + static_cast<std::ptrdiff_t>(i),
                      tokens.begin() + static_cast<std::ptrdiff_t>(i + run)})
             .second) {
      return true;
    }
  }
  return false;
}

std::string message(SearchCase& c, const std::vector<int>& prefix, const SearchOptions& options) {
  try {
    c.find({4, 5, end_token}, prefix, Task::search, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Length, NoTranslationIsShorterOrLongerThanAllowed) {
  SearchCase c(config_with_output_bias());
  const Sources sources = make_sources(c.model.config(), {1, 4, 9});
  c.favour_end(3.0f);
  EXPECT_TRUE(c.search(sources, {.beam = 3})[1].at(0).tokens.empty()) << "or the minimum length would have no effect";
  for (const bool sampling : {false, true}) {
    const Results got =
        c.search(sources, {.beam = 3, .n_best = 3, .min_length = 6, .sampling = {.on = sampling, .seed = 3}});
    for (std::size_t s = 0; s < sources.size(); ++s) {
      for (const Hypothesis& h : got[s]) {
        EXPECT_GE(h.tokens.size(), 6u);
        EXPECT_NEAR(h.log_probability / -forced_loss(c, sources[s], h), 1.0, 1e-5)
            << "its own probability is unchanged";
      }
    }
  }
  c.favour_end(-1000.0f);
  for (const auto& list : c.search(sources, {.beam = 3, .n_best = 3, .max_length = 2})) {
    for (const Hypothesis& h : list) EXPECT_EQ(h.tokens.size(), 2u);
  }
  for (const auto& list : c.search(sources, {.max_length = 70})) EXPECT_EQ(list.at(0).tokens.size(), 70u);
  EXPECT_THROW(c.search(sources, {.min_length = 9, .max_length = 4}), Error);
  for (const auto& list : c.search(sources, {.extra_length = 3, .min_length = 40})) {
    EXPECT_EQ(list.at(0).tokens.size(), 40u) << "the minimum length holds even if the usual limit is below it";
  }
}

TEST(NoRepeat, NoRunOfPiecesComesTwice) {
  SearchCase c(config_with_output_bias());
  c.favour_end(-1000.0f);
  const Sources sources = make_sources(c.model.config(), {5, 1, 8});
  for (const std::size_t run : {1, 2, 3}) {
    const std::size_t length = run == 1 ? 9 : 20;
    const SearchOptions options{.beam = 3, .n_best = 3, .max_length = static_cast<int>(length)};
    SearchOptions banning = options;
    banning.no_repeat = static_cast<int>(run);
    bool repeated = false;
    for (const auto& list : c.search(sources, options)) repeated = repeated || repeats(list.at(0).tokens, run);
    EXPECT_TRUE(repeated) << "or the rule would have no effect";
    for (const auto& list : c.search(sources, banning)) {
      for (const Hypothesis& h : list) {
        EXPECT_FALSE(repeats(h.tokens, run)) << run << ": " << text_of(h);
        EXPECT_EQ(h.tokens.size(), length);
      }
    }
  }
}

TEST(NoRepeat, BansNothingElse) {
  SearchCase c(config_with_output_bias());
  c.favour_end(-1000.0f);
  const std::vector<int> source{5, 9, 3, end_token};
  const std::vector<int> got =
      c.find(source, {}, Task::search, {.beam = 1, .max_length = 15, .no_repeat = 2}).at(0).tokens;
  std::vector<int> tokens;
  while (tokens.size() < 15) {
    const std::vector<double> next = next_log_probabilities(c.model, source, tokens, c.workspace);
    int best = -1;
    for (int token = 0; token < static_cast<int>(next.size()); ++token) {
      tokens.push_back(token);
      const bool allowed = token != end_token && !repeats(tokens, 2);
      tokens.pop_back();
      if (allowed && (best < 0 || next[static_cast<std::size_t>(token)] > next[static_cast<std::size_t>(best)])) {
        best = token;
      }
    }
    tokens.push_back(best);
  }
  EXPECT_EQ(got, tokens);
}

TEST(NoRepeat, RulesThatLeaveNothingAreAnErrorOfTheirOwn) {
  SearchCase c(small_config());
  EXPECT_EQ(message(c, {}, {.min_length = 40, .no_repeat = 1}),
            "min-length and no-repeat leave no piece to continue with; lower one of them");
}

TEST(Prefix, EveryTranslationBeginsWithItAndCountsIt) {
  SearchCase c(small_config());
  const std::vector<int> source{5, 9, 3, end_token};
  for (const std::vector<int>& prefix : {std::vector<int>{4}, {7, 7, 1}, {10, 0, 3, 9}}) {
    for (const bool sampling : {false, true}) {
      const SearchOptions options{.beam = 3, .n_best = 3, .extra_length = 5, .sampling = {.on = sampling}};
      const std::vector<Hypothesis> got = c.find(source, prefix, Task::search, options);
      ASSERT_EQ(got.size(), 3u);
      for (const Hypothesis& h : got) {
        EXPECT_TRUE(begins_with(h.tokens, prefix)) << text_of(h);
        EXPECT_EQ(h.log_probabilities.size(), h.tokens.size() + 1);
        EXPECT_NEAR(h.log_probability / -forced_loss(c, source, h), 1.0, 1e-5);
        EXPECT_DOUBLE_EQ(h.score, score_of(h.log_probability, h.tokens.size()));
      }
    }
  }
}

TEST(Prefix, TheSearchGoesOnAsIfItHadFoundThePrefixItself) {
  SearchCase c(small_config());
  const std::vector<int> source{5, 9, 3, end_token};
  const SearchOptions options{.beam = 1, .extra_length = 7};
  const Hypothesis whole = c.find(source, {}, Task::search, options).at(0);
  ASSERT_GE(whole.tokens.size(), 3u);
  const std::vector<int> prefix(whole.tokens.begin(), whole.tokens.begin() + 2);
  expect_same_bits({c.find(source, prefix, Task::search, options)}, {{whole}}, "greedy");
}

TEST(Prefix, OneThatCannotBeIsRefused) {
  SearchCase c(small_config());
  EXPECT_EQ(message(c, {3, 11}, {}), "the prefix contains token 11; use pieces of the target vocabulary");
  EXPECT_EQ(message(c, {-1}, {}), "the prefix contains token -1; use pieces of the target vocabulary");
  EXPECT_EQ(message(c, {end_token}, {}), "the prefix contains token 2; use pieces of the target vocabulary");
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 4;
  SearchCase learned(config);
  EXPECT_EQ(message(learned, {3, 3, 3}, {}), "");
  EXPECT_EQ(message(learned, {3, 3, 3, 3}, {}),
            "the prefix has 4 pieces, but a translation may have at most 3; shorten it");
}

TEST(SuppressUnk, NeverProducesTheUnknownPiece) {
  SearchCase c(config_with_output_bias());
  c.favour(unknown_token, 20.0f);
  const Sources sources = make_sources(c.model.config(), {1, 4, 9});
  const auto unknown_in = [&](const SearchOptions& options) {
    std::size_t count = 0;
    for (const auto& list : c.search(sources, options)) {
      for (const Hypothesis& h : list)
        count += static_cast<std::size_t>(std::count(h.tokens.begin(), h.tokens.end(), unknown_token));
    }
    return count;
  };
  for (SearchOptions options :
       {SearchOptions{.beam = 1, .extra_length = 5, .scores = false},
        SearchOptions{.beam = 4, .n_best = 4, .extra_length = 5, .min_length = 3, .no_repeat = 2},
        SearchOptions{.n_best = 3, .extra_length = 5, .alternatives = true},
        SearchOptions{.n_best = 3, .extra_length = 5, .sampling = {.on = true}}}) {
    EXPECT_GT(unknown_in(options), 0u);
    options.suppress_unk = true;
    EXPECT_EQ(unknown_in(options), 0u);
  }
}

TEST(Alternatives, AreTheMostProbableTokensEachGoneOnWithGreedily) {
  SearchCase c(small_config());
  const std::vector<int> source{5, 9, 3, end_token};
  for (const std::vector<int>& prefix : {std::vector<int>{}, {4, 6}}) {
    const SearchOptions options{.n_best = 4, .extra_length = 6, .alternatives = true};
    const std::vector<Hypothesis> got = c.find(source, prefix, Task::search, options);
    const std::vector<double> next = next_log_probabilities(c.model, source, prefix, c.workspace);
    std::vector<int> order(next.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return next[static_cast<std::size_t>(a)] > next[static_cast<std::size_t>(b)]; });
    ASSERT_EQ(got.size(), 4u);
    std::multiset<std::string> texts, want;
    for (const Hypothesis& h : got) texts.insert(text_of(h));
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<int> begun = prefix;
      if (order[i] == end_token) {
        Hypothesis ended;
        ended.tokens = prefix;
        ended.finished = true;
        want.insert(text_of(ended));
        continue;
      }
      begun.push_back(order[i]);
      want.insert(text_of(c.find(source, begun, Task::search, {.beam = 1, .extra_length = 6}).at(0)));
    }
    EXPECT_EQ(texts, want);
  }
}

TEST(Rescore, EqualsWhatTheSearchReportsAndTheTrainingLoss) {
  SearchCase c(config_with_output_bias());
  c.favour_end(1.0f);
  const Sources sources = make_sources(c.model.config(), {1, 4, 9, 30});
  const Results got = c.search(sources, {.beam = 4, .n_best = 4, .extra_length = 9});
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Hypothesis& h : got[s]) {
      const Hypothesis scored = c.find(sources[s], h.tokens, Task::score, {.beam = 1}).at(0);
      EXPECT_EQ(scored.tokens, h.tokens);
      EXPECT_EQ(scored.log_probability, h.log_probability) << "to the bit";
      EXPECT_EQ(scored.log_probabilities, h.log_probabilities);
      EXPECT_TRUE(scored.finished);
      EXPECT_NEAR(scored.log_probability / -forced_loss(c, sources[s], h), 1.0, 1e-5);
    }
  }
  EXPECT_TRUE(c.find(sources[1], {}, Task::score, {.beam = 1}).at(0).tokens.empty());
}

TEST(PieceScores, AreTheModelsAndAddUp) {
  SearchCase c(small_config());
  const std::vector<int> source{5, 9, 3, end_token};
  const Results got = c.search({source}, {.beam = 4, .n_best = 4, .extra_length = 6});
  for (const Hypothesis& h : got.at(0)) {
    ASSERT_EQ(h.log_probabilities.size(), h.tokens.size() + 1);
    double sum = 0.0;
    std::vector<int> before;
    for (std::size_t i = 0; i < h.log_probabilities.size(); ++i) {
      const int token = i < h.tokens.size() ? h.tokens[i] : end_token;
      const double want = next_log_probabilities(c.model, source, before, c.workspace)[static_cast<std::size_t>(token)];
      EXPECT_NEAR(static_cast<double>(h.log_probabilities[i]), want, 1e-5);
      sum += static_cast<double>(h.log_probabilities[i]);
      before.push_back(token);
    }
    EXPECT_NEAR(sum, h.log_probability, 1e-6 * static_cast<double>(h.log_probabilities.size()));
  }
}

}  // namespace
}  // namespace heed
