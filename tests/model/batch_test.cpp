#include "model/batch.h"

#include <gtest/gtest.h>

#include "heed/error.h"
#include "model/cases.h"

namespace heed {
namespace {

std::string refusal(const Batch& batch, const Config& config) {
  try {
    check(batch, config);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Batch, RefusesTokensOutsideTheVocabulary) {
  const Config config = small_config();
  for (const int bad : {-1, 11, 1 << 30}) {
    BatchBuilder builder;
    const std::vector<int> fine{3, 2};
    const std::vector<int> broken{3, bad, 2};
    builder.add(fine, fine);
    builder.add(fine, broken);
    const std::string text = refusal(builder.batch(), config);
    EXPECT_NE(text.find("target sentence 1: token id " + std::to_string(bad) + " at position 1"), std::string::npos)
        << text;
  }
}

TEST(Batch, RefusesEmptySentences) {
  BatchBuilder builder;
  const std::vector<int> fine{2};
  builder.add({}, fine);
  EXPECT_NE(refusal(builder.batch(), small_config()).find("source sentence 0"), std::string::npos);
  builder.clear();
  builder.add(fine, {});
  EXPECT_NE(refusal(builder.batch(), small_config()).find("target sentence 0"), std::string::npos);
}

TEST(Batch, RefusesSentencesBeyondTheLearnedPositions) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 4;
  EXPECT_EQ(refusal(make_batch(config, {{4, 4}}).batch(), config), "");
  const std::string text = refusal(make_batch(config, {{5, 4}}).batch(), config);
  EXPECT_NE(text.find("there are 4 positions"), std::string::npos) << text;
}

TEST(Batch, RefusesSidesOfDifferentNumbers) {
  const std::vector<int> tokens{2};
  const std::vector<Index> one{0, 1};
  const std::vector<Index> none{0};
  const Batch batch{{tokens, one}, {{}, none}};
  EXPECT_NE(refusal(batch, small_config()).find("1 source and 0 target"), std::string::npos);
}

}  // namespace
}  // namespace heed
