#include <algorithm>

#include "decoding/search_case.h"

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

// One head whose keys are the encoder's output itself, and whose query is `query` whatever came before.
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

TEST(Alignment, FollowsTheLastButOneLayer) {
  Config config = small_config();
  config.heads = 1;
  config.decoder_layers = 3;
  config.attention_bias = true;
  SearchCase c(config);
  // Rows of one length, so that each is most alike to itself.
  const std::span<float> gain = tensor(c, "encoder.0.feed_forward.norm.gain");
  const std::span<float> bias = tensor(c, "encoder.0.feed_forward.norm.bias");
  std::fill(gain.begin(), gain.end(), 1.0f);
  std::fill(bias.begin(), bias.end(), 0.0f);
  c.model.pack(c.workspace);
  const std::vector<int> source{5, 9, 3, 7, 4, end_token};
  BatchBuilder builder;
  builder.add(source, {});
  const Arena::Scope scope(c.arena);
  const Matrix<const float> memory =
      encode(config, c.model.parameters(), builder.batch().source, {}, c.workspace, nullptr);
  for (Index piece = 0; piece < memory.rows; ++piece) {
    look_along(c, "decoder.1", memory.row_span(piece));
    for (const char* other : {"decoder.0", "decoder.2"}) look_along(c, other, memory.row_span((piece + 1) % 6));
    const auto got = c.search({source}, {.beam = 2, .n_best = 2, .min_length = 5, .alignment = true})[0];
    for (const Hypothesis& h : got) {
      EXPECT_EQ(h.alignment, std::vector<std::int32_t>(h.tokens.size(), static_cast<std::int32_t>(piece)));
    }
  }
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

}  // namespace
}  // namespace heed
