#include <algorithm>
#include <numeric>

#include "decoding/search_case.h"
#include "error_message.h"

namespace heed {
namespace {

std::span<float> tensor(SearchCase& c, const std::string& name) {
  for (const Tensor& t : list_tensors(c.model.config())) {
    if (t.name == name) {
      return c.model.values().subspan(static_cast<std::size_t>(t.offset), static_cast<std::size_t>(t.rows * t.cols));
    }
  }
  ADD_FAILURE() << name;
  return {};
}

// One head whose keys are the encoder's output itself, and whose query is always `query`.
void look_along(SearchCase& c, const std::string& layer, std::span<const float> query) {
  const std::span<float> query_weight = tensor(c, layer + ".encoder_attention.query.weight");
  std::fill(query_weight.begin(), query_weight.end(), 0.0f);
  std::copy(query.begin(), query.end(), tensor(c, layer + ".encoder_attention.query.bias").begin());
  const std::span<float> key_weight = tensor(c, layer + ".encoder_attention.key.weight");
  for (std::size_t i = 0; i < key_weight.size(); ++i) key_weight[i] = i % (query.size() + 1) == 0 ? 1.0f : 0.0f;
  const std::span<float> key_bias = tensor(c, layer + ".encoder_attention.key.bias");
  std::fill(key_bias.begin(), key_bias.end(), 0.0f);
  c.model.pack(c.workspace);
}

// The weights of each token and of </s>.
std::vector<std::span<const float>> rows_of(const Hypothesis& h, std::size_t columns) {
  EXPECT_EQ(h.attention.size(), (h.tokens.size() + 1) * columns);
  std::vector<std::span<const float>> rows;
  for (std::size_t i = 0; i < h.attention.size(); i += columns)
    rows.push_back(std::span(h.attention).subspan(i, columns));
  return rows;
}

TEST(Alignment, FollowsTheChosenLayerOrTheLastButOne) {
  Config config = small_config();
  config.heads = 1;
  config.decoder_layers = 3;
  config.attention_bias = true;
  SearchCase c(config);
  // Rows of equal norm, so that each is most similar to itself.
  const std::span<float> gain = tensor(c, "encoder.0.feed_forward.norm.gain");
  const std::span<float> bias = tensor(c, "encoder.0.feed_forward.norm.bias");
  std::fill(gain.begin(), gain.end(), 1.0f);
  std::fill(bias.begin(), bias.end(), 0.0f);
  c.model.pack(c.workspace);
  const std::vector<int> source{5, 9, 3, 7, 4, end_token};
  BatchBuilder builder;
  builder.add(source, {});
  const Arena::Scope scope(c.arena);
  const Matrix<const float> memory = encode(c.model.parameters(), builder.batch().source, {}, c.workspace, nullptr);
  for (int layer = 0; layer <= 3; ++layer) {
    const auto looking = static_cast<std::size_t>(layer == 0 ? 1 : layer - 1);
    for (Index piece = 0; piece < memory.rows; ++piece) {
      for (std::size_t i = 0; i < 3; ++i) {
        look_along(c, "decoder." + std::to_string(i),
                   memory.row_span(i == looking ? piece : (piece + 1) % memory.rows));
      }
      const auto got = c.search({source}, {.beam = 2,
                                           .n_best = 2,
                                           .min_length = 5,
                                           .alignment = true,
                                           .soft_alignment = true,
                                           .alignment_layer = layer})[0];
      for (const Hypothesis& h : got) {
        EXPECT_EQ(h.alignment, std::vector<std::int32_t>(h.tokens.size(), static_cast<std::int32_t>(piece))) << layer;
        for (const std::span<const float> row : rows_of(h, source.size())) {
          EXPECT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), piece) << layer;
        }
      }
    }
  }
}

TEST(Alignment, ALayerThatTheModelLacksIsRefused) {
  SearchCase c(small_config());
  const auto layers = static_cast<int>(c.model.config().decoder_layers);
  const std::string message = error_message([&] {
    c.search({{5, end_token}}, {.alignment = true, .alignment_layer = layers + 1});
  });
  EXPECT_EQ(message, "alignment-layer is " + std::to_string(layers + 1) + "; choose 1 to " + std::to_string(layers) +
                         ", the model's last decoder layer");
}

TEST(Alignment, NamesAPieceOfTheSourceForEachTokenAndChangesNothing) {
  Config config = config_with_output_bias();
  config.decoder_layers = 2;
  SearchCase c(config);
  const Sources sources = make_sources(config, {9, 1, 30, 4});
  const SearchOptions plain{.beam = 4, .n_best = 4, .extra_length = 9};
  SearchOptions aligning = plain;
  aligning.alignment = true;
  const Results want = c.search(sources, plain);
  Results got = c.search(sources, aligning);
  SearchCase other(config, 3);
  expect_same_bits(other.search(sources, aligning, 2), got, "threads");
  bool differ = false;
  for (std::size_t s = 0; s < got.size(); ++s) {
    for (Hypothesis& h : got[s]) {
      EXPECT_EQ(h.alignment.size(), h.tokens.size());
      for (const std::int32_t piece : h.alignment) {
        EXPECT_GE(piece, 0);
        EXPECT_LT(static_cast<std::size_t>(piece), sources[s].size());
        differ = differ || piece != h.alignment[0];
      }
      h.alignment.clear();
    }
  }
  EXPECT_TRUE(differ);
  expect_same_bits(got, want, "without");
}

TEST(SoftAlignment, IsADistributionOverTheSourceForEachTokenAndTheEnd) {
  Config config = config_with_output_bias();
  config.decoder_layers = 2;
  SearchCase c(config);
  const Sources sources = make_sources(config, {9, 1, 30, 4});
  const SearchOptions options{.beam = 4, .n_best = 4, .extra_length = 9, .alignment = true, .soft_alignment = true};
  const Results got = c.search(sources, options);
  SearchCase other(config, 3);
  expect_same_bits(other.search(sources, options, 2), got, "threads");
  SearchOptions last_but_one = options;
  last_but_one.alignment_layer = 1;
  expect_same_bits(c.search(sources, last_but_one), got, "layer 1 of 2");
  SearchOptions last = options;
  last.alignment_layer = 2;
  EXPECT_NE(c.search(sources, last)[0][0].attention, got[0][0].attention);
  for (std::size_t s = 0; s < got.size(); ++s) {
    for (const Hypothesis& h : got[s]) {
      const auto rows = rows_of(h, sources[s].size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(std::accumulate(rows[i].begin(), rows[i].end(), 0.0f), 1.0f, 1e-5f);
        const auto strongest = std::max_element(rows[i].begin(), rows[i].end()) - rows[i].begin();
        if (i == h.tokens.size()) break;
        EXPECT_EQ(h.alignment[i], strongest);
      }
    }
  }
}

TEST(SoftAlignment, OfABeamIsThatOfItsTranslationAlone) {
  SearchCase c(config_with_output_bias());
  c.favour_end(1.0f);
  const Sources sources = make_sources(c.model.config(), {9, 4, 17});
  const Results got = c.search(sources, {.beam = 5, .n_best = 5, .extra_length = 9, .soft_alignment = true});
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Hypothesis& h : got[s]) {
      EXPECT_EQ(c.find(sources[s], h.tokens, Task::score, {.beam = 1, .soft_alignment = true}).at(0).attention,
                h.attention);
    }
  }
}

TEST(SoftAlignment, ThatNeedsMoreMemoryThanThereIsIsRefused) {
  SearchCase c(small_config());
  std::vector<int> source(2000, 5);
  source.back() = end_token;
  EXPECT_EQ(error_message([&] { c.search({source}, {.beam = 64, .max_length = 1000, .soft_alignment = true}); }),
            "a beam of 64 needs more memory than is available; choose a smaller one");
}

TEST(SoftAlignment, IsLeftOutUnlessAskedFor) {
  SearchCase c(small_config());
  EXPECT_TRUE(c.search({{5, 9, end_token}}, {.alignment = true})[0][0].attention.empty());
  EXPECT_TRUE(c.search({{5, 9, end_token}}, {.soft_alignment = true})[0][0].alignment.empty());
}

}  // namespace
}  // namespace heed
