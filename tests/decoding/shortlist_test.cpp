// Search among the tokens of a lexical shortlist.
#include "model/shortlist.h"

#include <algorithm>

#include "decoding/search.h"
#include "decoding/search_case.h"
#include "decoding/translation_model.h"
#include "error_message.h"
#include "model/int8_weights.h"
#include "test_folder.h"

namespace heed {
namespace {

// Four target tokens for each source token, and two for every sentence.
Shortlist small_list(const Config& config) {
  std::vector<std::vector<std::int32_t>> lists;
  for (Index s = 0; s < config.source_vocab; ++s) {
    auto& list = lists.emplace_back();
    for (Index i = 0; i < 4; ++i)
      list.push_back(static_cast<std::int32_t>(3 + (7 * s + 5 * i) % (config.target_vocab - 3)));
  }
  return make_shortlist({3, 4}, std::move(lists));
}

Results search_listed(const Transformer& model, const Shortlist* list, const Sources& sources,
                      const SearchOptions& options, Index batch, const Workspace& workspace) {
  BatchBuilder builder;
  for (const std::vector<int>& source : sources) builder.add(source, {});
  const TranslationModel steps(model, list);
  const StepModel* models[] = {&steps};
  return search(models, builder.batch().source, options, batch, workspace);
}

std::vector<int> selected(const Shortlist& list, const std::vector<int>& source, const Config& config) {
  std::vector<int> tokens;
  list.select(source, {}, config.target_vocab, tokens);
  return tokens;
}

// The same search with biases that make all other tokens impossible.
void forbid_others(SearchCase& c, const std::vector<int>& allowed) {
  for (int token = 0; token < c.model.config().target_vocab; ++token) {
    if (!std::binary_search(allowed.begin(), allowed.end(), token)) c.favour(token, -1e4f);
  }
}

const SearchOptions variants[] = {
    {.beam = 1, .extra_length = 5},
    {.beam = 1, .extra_length = 5, .scores = false},
    {.beam = 3, .n_best = 3, .extra_length = 4},
    {.beam = 2, .extra_length = 4, .min_length = 3, .no_repeat = 2, .suppress_unk = true},
};

TEST(Shortlist, FindsWhatASearchFindsInWhichOtherTokensAreImpossible) {
  const Config config = config_with_output_bias();
  const Shortlist list = small_list(config);
  const Sources sources = make_sources(config, {3, 1, 6, 2});
  for (const SearchOptions& options : variants) {
    SearchCase c(config);
    const Results got = search_listed(c.model, &list, sources, options, 2, c.workspace);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      SearchCase other(config);
      forbid_others(other, selected(list, sources[s], config));
      expect_equal(got[s], other.search({sources[s]}, options)[0], "sentence " + std::to_string(s));
    }
  }
}

TEST(Shortlist, EightBitsLikewise) {
  const Config config = config_with_output_bias();
  const Shortlist list = small_list(config);
  const Sources sources = make_sources(config, {4, 1, 7});
  SearchCase c(config);
  const Transformer integers(config, quantize(config, c.model.values()));
  for (const SearchOptions& options : variants) {
    const Results got = search_listed(integers, &list, sources, options, 8, c.workspace);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      SearchCase other(config);
      forbid_others(other, selected(list, sources[s], config));
      const Transformer forbidding(config, quantize(config, other.model.values()));
      expect_equal(got[s], search_listed(forbidding, nullptr, {sources[s]}, options, 1, c.workspace)[0],
                   "sentence " + std::to_string(s));
    }
  }
}

TEST(Shortlist, HasTheSameBitsInAnyBatchAndOnAnyThreads) {
  const Config config = config_with_output_bias();
  const Shortlist list = small_list(config);
  const Sources sources = make_sources(config, {3, 1, 6, 2, 9, 5, 4});
  SearchCase one(config), three(config, 3);
  for (const SearchOptions& options : variants) {
    const Results alone = search_listed(one.model, &list, sources, options, 1, one.workspace);
    expect_same_bits(alone, search_listed(one.model, &list, sources, options, 64, one.workspace), "batch 64");
    expect_same_bits(alone, search_listed(three.model, &list, sources, options, 3, three.workspace), "3 threads");
    Results backwards = search_listed(one.model, &list, {sources.rbegin(), sources.rend()}, options, 4, one.workspace);
    std::reverse(backwards.begin(), backwards.end());
    expect_same_bits(alone, backwards, "the other order");
  }
}

TEST(Shortlist, SentencesWithAndWithoutOneShareABatch) {
  const Config config = config_with_output_bias();
  const Shortlist list = small_list(config);
  const Sources sources = make_sources(config, {3, 1, 6, 2, 5});
  SearchCase c(config);
  const TranslationModel steps(c.model, &list);
  const StepModel* models[] = {&steps};
  const SearchOptions listed{.beam = 2, .extra_length = 4};
  SearchOptions whole = listed;
  whole.shortlist = false;
  Results got(sources.size());
  std::size_t next = 0;
  Search(models, 8, c.workspace).run([&]() -> std::unique_ptr<Request> {
    if (next == sources.size()) return nullptr;
    const std::size_t s = next++;
    return std::make_unique<Request>(
        Request{.source = sources[s],
                .options = s % 2 == 0 ? listed : whole,
                .done = [&got, s](std::vector<Hypothesis> found, const std::exception_ptr& error) {
                  EXPECT_EQ(error, nullptr);
                  got[s] = std::move(found);
                }});
  });
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const Results alone =
        search_listed(c.model, s % 2 == 0 ? &list : nullptr, {sources[s]}, s % 2 == 0 ? listed : whole, 1, c.workspace);
    expect_same_bits({got[s]}, alone, "sentence " + std::to_string(s));
  }
}

TEST(Shortlist, EveryTokenListedIsTheWholeVocabulary) {
  const Config config = config_with_output_bias();
  std::vector<std::int32_t> all;
  for (Index t = 0; t < config.target_vocab; ++t) all.push_back(static_cast<std::int32_t>(t));
  const Shortlist list = make_shortlist(all, std::vector<std::vector<std::int32_t>>(at(config.source_vocab)));
  const Sources sources = make_sources(config, {3, 1, 6});
  SearchCase c(config);
  const SearchOptions sampled{.beam = 1, .extra_length = 6, .sampling = {.on = true, .top_k = 5}};
  for (const SearchOptions& options : {variants[0], variants[2], sampled}) {
    const Results got = search_listed(c.model, &list, sources, options, 3, c.workspace);
    const Results want = c.search(sources, options);
    for (std::size_t s = 0; s < sources.size(); ++s) expect_equal(got[s], want[s], "sentence " + std::to_string(s));
  }
}

TEST(Shortlist, HasTheTokensOfTheSentenceItsPrefixAndTheEnd) {
  const Shortlist list = make_shortlist({9, 5, 9}, {{}, {}, {}, {7, 6, 7}, {}, {70}});
  std::vector<int> tokens;
  list.select(std::vector<int>{3, 5, 2}, std::vector<int>{64, 8}, 71, tokens);
  EXPECT_EQ(tokens, (std::vector<int>{end_token, 5, 6, 7, 8, 9, 64, 70}));
}

struct ShortlistFile : testing::Test {
  ShortlistFile() { write_shortlist(folder.path(), small_list(config), facts); }

  const TestFolder folder;
  const Config config = config_with_output_bias();
  const WeightFacts facts{{"source_tokenizer", "a"}, {"target_tokenizer", "b"}};
};

TEST_F(ShortlistFile, HoldsWhatWasWritten) {
  const auto read = read_shortlist(folder.path(), config, facts, Verify::checksum);
  ASSERT_TRUE(read);
  const Shortlist want = small_list(config);
  EXPECT_EQ(read->always, want.always);
  EXPECT_EQ(read->offsets, want.offsets);
  EXPECT_EQ(read->tokens, want.tokens);
  EXPECT_FALSE(read_shortlist(folder / "elsewhere", config, facts, Verify::checksum));
}

TEST_F(ShortlistFile, OfOtherTokenizersOrAnotherVocabularyIsRefused) {
  EXPECT_NE(error_message([&] {
              read_shortlist(folder.path(), config, {{"source_tokenizer", "c"}}, Verify::structure);
            }).find("was made for other tokenizers"),
            std::string::npos);
  Config other = config;
  other.source_vocab += 1;
  EXPECT_NE(
      error_message([&] { read_shortlist(folder.path(), other, facts, Verify::structure); }).find("source vocabulary"),
      std::string::npos);
  other = config;
  other.target_vocab -= 1;
  EXPECT_NE(error_message([&] { read_shortlist(folder.path(), other, facts, Verify::structure); }).find("is damaged"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
