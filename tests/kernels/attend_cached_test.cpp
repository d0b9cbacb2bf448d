#include "kernels/attend_cached.h"

#include "kernels/attention.h"
#include "kernels/numbers.h"

namespace heed::kernels {
namespace {

constexpr Index cached_rows = 200;

std::vector<std::int32_t> scattered(Index count) {
  std::vector<std::int32_t> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(static_cast<std::int32_t>((61 * i + 7) % cached_rows));
  return rows;
}

// Keys and values of all heads for every row of a cache, and a query.
struct Case {
  explicit Case(const CacheShape& shape_)
      : shape(shape_),
        query(1, shape.heads * shape.d_k, 1),
        key_value(cached_rows, shape.numbers(), 2),
        bytes(static_cast<std::size_t>(cached_rows * cache_row_bytes(shape))),
        cache(bytes.data(), cached_rows, cache_row_bytes(shape)) {
    for (Index i = 0; i < cached_rows; ++i) store_cached(shape, key_value.view().row(i), cache.row(i));
  }

  // Attention of one head over these rows, from the numbers before they were stored.
  std::vector<float> expected(Index head, const std::vector<std::int32_t>& rows) {
    const auto count = static_cast<Index>(rows.size());
    TestMatrix key(count, shape.d_k, 3);
    TestMatrix value(count, shape.d_v, 4);
    for (Index i = 0; i < count; ++i) {
      const float* from = key_value.view().row(rows[static_cast<std::size_t>(i)]);
      std::copy_n(from + head * shape.d_k, shape.d_k, key.view().row(i));
      std::copy_n(from + shape.heads * shape.d_k + head * shape.d_v, shape.d_v, value.view().row(i));
    }
    TestMatrix context(1, shape.d_v, 5);
    std::vector<float> log_sum(1);
    std::vector<float> scratch(static_cast<std::size_t>(attention_scratch(shape.d_k)));
    attend(query.view().cols_from(head * shape.d_k, shape.d_k), key.view(), value.view(), Reach(), context.view(),
           log_sum, scratch.data());
    return flat(context.view());
  }

  // The context of all heads, `heads` of them at a time.
  std::vector<float> attend_to(const std::vector<std::int32_t>& rows, Index heads) {
    TestMatrix context(1, shape.heads * shape.d_v, 6);
    weights.assign(static_cast<std::size_t>(attend_cached_scratch(shape, shape.heads, static_cast<Index>(rows.size()))),
                   0.0f);
    for (Index first = 0; first < shape.heads; first += heads) {
      attend_cached(shape, first, heads, query.view().row(0), cache, rows, scattered(2 * heads), context.view().row(0),
                    weights.data() + static_cast<std::size_t>(first) * rows.size());
    }
    EXPECT_TRUE(context.edges_intact());
    return flat(context.view());
  }

  CacheShape shape;
  TestMatrix query, key_value;
  std::vector<std::byte> bytes;
  Matrix<std::byte> cache;
  std::vector<float> weights;
};

void expect_attention(CacheType type, double tolerance) {
  for (const auto& [heads, d_k, d_v] : {std::array<Index, 3>{1, 8, 8}, {2, 3, 17}, {8, 64, 64}, {3, 33, 1}}) {
    Case c({heads, d_k, d_v, type});
    for (const Index count : {1, 2, 3, 4, 5, 17, 130}) {
      const std::vector<std::int32_t> rows = scattered(count);
      const std::vector<float> got = c.attend_to(rows, heads);
      for (Index head = 0; head < heads; ++head) {
        const std::vector<float> context(got.begin() + head * d_v, got.begin() + (head + 1) * d_v);
        EXPECT_LE(relative_error(context, c.expected(head, rows)), tolerance)
            << heads << " heads, " << count << " rows";
        double sum = 0.0;
        for (Index i = 0; i < count; ++i)
          sum += static_cast<double>(c.weights[static_cast<std::size_t>(head * count + i)]);
        EXPECT_NEAR(sum, 1.0, 1e-5);
      }
      EXPECT_EQ(got, c.attend_to(rows, 1)) << "the same bits head by head";
    }
  }
}

TEST(AttendCached, EqualsAttentionOverTheNamedRows) { expect_attention(CacheType::f32, 1e-5); }

TEST(AttendCached, InEightBitsIsNearAttentionOverTheNamedRows) { expect_attention(CacheType::int8, 0.05); }

TEST(AttendCached, InEightBitsAHeadOfZerosAndOneOfHugeNumbersKeepTheirSize) {
  Case c({2, 4, 4, CacheType::int8});
  const std::vector<float> key_value{0, 0, 0, 0, 1e30f, -1e30f, 0, 5e29f, 0, 0, 0, 0, 1e-30f, -1e-30f, 0, 5e-31f};
  store_cached(c.shape, key_value.data(), c.cache.row(0));
  const std::vector<float> got = c.attend_to({0}, 2);
  EXPECT_LE(relative_error(got, std::vector<float>(key_value.begin() + 8, key_value.end())), 0.01);
}

}  // namespace
}  // namespace heed::kernels
