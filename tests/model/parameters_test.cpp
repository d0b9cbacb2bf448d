#include "model/parameters.h"

#include <cmath>
#include <set>

#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

TEST(Parameters, CountsOfThePaperModels) {
  Config base = preset("base");
  base.source_vocab = base.target_vocab = 37000;
  EXPECT_EQ(count_parameters(base), 63045632);
  Config big = preset("big");
  big.source_vocab = big.target_vocab = 37000;
  EXPECT_EQ(count_parameters(big), 214171648);
}

TEST(Parameters, NamesAreUniqueAndTensorsLieEndToEnd) {
  for (const Fixture& fixture : read_fixtures()) {
    std::set<std::string> names;
    Index offset = 0;
    for (const Tensor& t : list_tensors(fixture.config)) {
      EXPECT_TRUE(names.insert(t.name).second) << t.name;
      EXPECT_EQ(t.offset, offset) << t.name;
      offset += t.rows * t.cols;
    }
    EXPECT_EQ(offset, count_parameters(fixture.config));
  }
}

bool projects_into_attention(const std::string& name) {
  return name.ends_with(".query.weight") || name.ends_with(".key.weight") || name.ends_with(".value.weight");
}

class InitialValues : public testing::TestWithParam<Norm> {};
INSTANTIATE_TEST_SUITE_P(Norms, InitialValues, testing::Values(Norm::after, Norm::before));

TEST_P(InitialValues, StartFromThePaperTablesChoices) {
  Config config = preset("tiny");
  config.source_vocab = config.target_vocab = 2000;
  config.attention_bias = true;
  config.norm = GetParam();
  std::vector<float> values(static_cast<std::size_t>(count_parameters(config)));
  initialise(layout_of(config), 1, values.data());
  for (const Tensor& t : list_tensors(config)) {
    double sum = 0.0;
    double squares = 0.0;
    double largest = 0.0;
    const Index count = t.rows * t.cols;
    for (Index i = 0; i < count; ++i) {
      const double x = values[static_cast<std::size_t>(t.offset + i)];
      sum += x;
      squares += x * x;
      largest = std::max(largest, std::abs(x));
    }
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    if (t.name.ends_with(".bias")) {
      EXPECT_EQ(largest, 0.0) << t.name;
    } else if (t.name.ends_with(".gain")) {
      EXPECT_EQ(sum, static_cast<double>(count)) << t.name;
    } else if (t.name == "embedding.weight") {
      EXPECT_NEAR(deviation * std::sqrt(128.0), 1.0, 0.02);
    } else {
      const double share = projects_into_attention(t.name) ? 0.5 : 1.0;
      const double limit = std::sqrt(6.0 * share / static_cast<double>(t.rows + t.cols));
      EXPECT_LE(largest, limit) << t.name;
      EXPECT_NEAR(deviation / limit, 1.0 / std::sqrt(3.0), 0.02) << t.name;
    }
  }
}

TEST(Parameters, TheSeedChangesThemAndNothingElseDoes) {
  const Config config = small_config();
  std::vector<float> a(static_cast<std::size_t>(count_parameters(config)));
  std::vector<float> b = a;
  std::vector<float> c = a;
  initialise(layout_of(config), 1, a.data());
  initialise(layout_of(config), 1, b.data());
  initialise(layout_of(config), 2, c.data());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace heed
