#include "kernels/int8.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "kernels/int8_vnni-inl.h"
#include "kernels/numbers.h"
#include "tensor/arena.h"

namespace heed::kernels {
namespace {

using Numbers = std::function<float(Index row, Index col)>;
constexpr Index depths[] = {1, 3, 4, 5, 63, 64, 65, 513, 2048};
constexpr Index channel_counts[] = {1, 15, 16, 17, 33};
constexpr Index most_rows = 25;

// A matrix in integers, by definition: one scale for each row.
struct Integers {
  Integers(Index rows, Index cols_, const Numbers& numbers, bool ties_to_even) : cols(cols_) {
    for (Index i = 0; i < rows; ++i) {
      float magnitude = 0.0f;
      for (Index j = 0; j < cols; ++j) magnitude = std::max(magnitude, std::abs(numbers(i, j)));
      const bool is_zero = magnitude < int8_smallest_magnitude;
      scales.push_back(is_zero ? 0.0f : magnitude / 127.0f);
      const float factor = is_zero ? 0.0f : 127.0f / magnitude;
      for (Index j = 0; j < cols; ++j) {
        const float value = std::clamp(numbers(i, j) * factor, -127.0f, 127.0f);
        values.push_back(static_cast<int>(ties_to_even ? std::nearbyint(value) : std::round(value)));
      }
    }
  }
  int operator()(Index i, Index j) const { return values[at(i * cols + j)]; }

  Index cols;
  std::vector<int> values;
  std::vector<float> scales;
};

// The same numbers for the kernels, and the result of a scalar loop.
struct Case {
  Case(Index rows, Index channels, Index depth, const Numbers& x_numbers, const Numbers& w_numbers)
      : x(rows, depth, 0),
        w(channels, depth, 0),
        bias(1, channels, 7),
        x_integers(rows, depth, x_numbers, true),
        w_integers(channels, depth, w_numbers, false) {
    for (Index k = 0; k < depth; ++k) {
      for (Index i = 0; i < rows; ++i) x.view()(i, k) = x_numbers(i, k);
      for (Index c = 0; c < channels; ++c) w.view()(c, k) = w_numbers(c, k);
    }
    const Index panels = divide_up(channels, int8_panel_channels);
    auto* data = arena.array<std::int8_t>(int8_panels_size(channels, depth)).data();
    auto* sums = arena.array<std::int32_t>(panels * int8_panel_channels).data();
    auto* scales = arena.floats(panels * int8_panel_channels).data();
    for (Index p = 0; p < panels; ++p) {
      const Index first = p * int8_panel_channels;
      quantize_panel(w.view().rows_from(first, std::min(int8_panel_channels, channels - first)),
                     data + p * int8_panel_size(depth), sums + first, scales + first);
    }
    matrix = {data, sums, scales, channels, depth};
    quantized = {arena.array<std::byte>(rows * int8_row_bytes(depth)).data(), arena.floats(rows).data()};
    quantize_rows(x.view(), 0, rows, quantized);
  }

  // The rows in the layout of the VNNI loop, on any machine.
  Int8Rows unsigned_rows() {
    const Index row_bytes = vnni_row_bytes(matrix.cols);
    const auto data = arena.array<std::byte>(x.view().rows * row_bytes);
    std::fill(data.begin(), data.end(), std::byte{0});
    for (Index i = 0; i < x.view().rows; ++i) {
      for (Index k = 0; k < matrix.cols; ++k) {
        data[at(i * row_bytes + k)] = static_cast<std::byte>(x_integers(i, k) + vnni_zero_point);
      }
    }
    return {data.data(), quantized.scales};
  }

  float expected(Index row, Index channel, bool with_bias) const {
    std::int64_t sum = 0;
    for (Index k = 0; k < matrix.cols; ++k) sum += x_integers(row, k) * w_integers(channel, k);
    const float value = static_cast<float>(sum) * (x_integers.scales[at(row)] * w_integers.scales[at(channel)]);
    return with_bias ? value + bias(0, channel) : value;
  }
  std::vector<float> expected(bool with_bias) const {
    std::vector<float> all;
    for (Index i = 0; i < x.view().rows; ++i) {
      for (Index c = 0; c < matrix.rows; ++c) all.push_back(expected(i, c, with_bias));
    }
    return all;
  }

  Arena arena;
  TestMatrix x, w, bias;
  Integers x_integers, w_integers;
  Int8Matrix matrix;
  Int8Rows quantized;
};

// The loop's vector as an array.
struct Scalar {
  struct Type {
    std::int32_t lanes[16];
  };
  static Type start(const std::int32_t* channel_sums) {
    Type v;
    for (int i = 0; i < 16; ++i) v.lanes[i] = -vnni_zero_point * channel_sums[i];
    return v;
  }
  static Type bytes(const std::int8_t* from) {
    Type v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static Type repeated(const std::uint8_t* from) {
    std::int32_t four;
    __builtin_memcpy(&four, from, sizeof four);
    Type v;
    std::fill_n(v.lanes, 16, four);
    return v;
  }
  static Type add_dot(Type sums, Type x, Type w) {
    for (int i = 0; i < 16; ++i) {
      std::uint8_t a[4];
      std::int8_t b[4];
      __builtin_memcpy(a, &x.lanes[i], 4);
      __builtin_memcpy(b, &w.lanes[i], 4);
      // As the instruction does, without saturation.
      auto sum = static_cast<std::uint32_t>(sums.lanes[i]);
      for (int k = 0; k < 4; ++k) sum += static_cast<std::uint32_t>(a[k] * b[k]);
      sums.lanes[i] = static_cast<std::int32_t>(sum);
    }
    return sums;
  }
  static void rescale(Type sums, float x_scale, const float* scales, const float* bias, Index channels, float* to) {
    for (Index c = 0; c < channels; ++c) {
      const float value = static_cast<float>(sums.lanes[c]) * (x_scale * scales[c]);
      to[c] = bias == nullptr ? value : value + bias[c];
    }
  }
};

using Multiply = void (*)(Case&, const float* bias, Matrix<float> y);

void multiply_here(Case& c, const float* bias, Matrix<float> y) {
  multiply_int8(c.quantized, c.matrix, 0, c.matrix.panel_count(), bias, y);
}

void multiply_as_vnni(Case& c, const float* bias, Matrix<float> y) {
  multiply_vnni_panels<Scalar>(c.unsigned_rows(), c.matrix, 0, c.matrix.panel_count(), bias, y);
}

void expect_exact(Multiply multiply, const Numbers& x, const Numbers& w, const std::string& what) {
  for (const Index depth : depths) {
    for (const Index channels : channel_counts) {
      Case c(most_rows, channels, depth, x, w);
      for (const bool with_bias : {false, true}) {
        const std::vector<float> want = c.expected(with_bias);
        for (Index rows = 1; rows <= most_rows; ++rows) {
          if (depth > 65 && rows % 8 > 1) continue;
          TestMatrix y(rows, channels, 3);
          multiply(c, with_bias ? c.bias.row(0).data() : nullptr, y.view());
          ASSERT_EQ(flat(y.view()), std::vector<float>(want.begin(), want.begin() + rows * channels))
              << what << ": " << rows << " × " << channels << " × " << depth;
          ASSERT_TRUE(y.edges_intact()) << what;
        }
      }
    }
  }
}

const Numbers ones = [](Index, Index) { return 1.0f; };
const Numbers minus_ones = [](Index, Index) { return -1.0f; };
const Numbers alternating = [](Index i, Index j) { return (i + j) % 2 == 0 ? 1.0f : -1.0f; };
const Numbers mixed = [](Index i, Index j) {
  return static_cast<float>(2.0 * uniform(static_cast<std::uint64_t>(i) + 11, static_cast<std::uint64_t>(j)) - 1.0);
};

TEST(Int8, ExtremesEqualTheScalarLoopBitForBit) {
  expect_exact(multiply_here, ones, ones, "+ +");
  expect_exact(multiply_here, ones, minus_ones, "+ −");
  expect_exact(multiply_here, minus_ones, minus_ones, "− −");
  expect_exact(multiply_here, alternating, alternating, "alternating");
  expect_exact(multiply_here, alternating, minus_ones, "alternating −");
}

TEST(Int8, OrdinaryNumbersEqualTheScalarLoopBitForBit) { expect_exact(multiply_here, mixed, mixed, "mixed"); }

TEST(Int8, TheVnniLoopEqualsTheScalarLoopBitForBit) {
  expect_exact(multiply_as_vnni, ones, minus_ones, "+ −");
  expect_exact(multiply_as_vnni, mixed, mixed, "mixed");
}

TEST(Int8, TheDeepestSumsFit) {
  for (const Numbers& w : {ones, minus_ones}) {
    for (const Index rows : {1, 5}) {  // few rows have their own loop
      Case c(rows, 2, int8_most_depth, ones, w);
      for (const Multiply multiply : {multiply_here, multiply_as_vnni}) {
        TestMatrix y(rows, 2, 3);
        multiply(c, nullptr, y.view());
        EXPECT_EQ(flat(y.view()), c.expected(false));
      }
    }
  }
}

TEST(Int8, ManyRowsEqualTheScalarLoopBitForBit) {
  Case c(203, 33, 517, mixed, mixed);
  const std::vector<float> want = c.expected(true);
  for (const Index rows : {95, 96, 97, 192, 203}) {
    TestMatrix y(rows, 33, 3);
    multiply_here(c, c.bias.row(0).data(), y.view());
    EXPECT_EQ(flat(y.view()), std::vector<float>(want.begin(), want.begin() + rows * 33)) << rows;
    EXPECT_TRUE(y.edges_intact());
  }
}

TEST(Int8, SomePanelsAreColumnsOfTheWhole) {
  Case c(9, 70, 33, mixed, mixed);
  const std::vector<float> want = c.expected(true);
  for (Index first = 0; first < 5; ++first) {
    for (Index count = 1; first + count <= 5; ++count) {
      const Index cols = std::min<Index>(70 - first * 16, count * 16);
      for (const bool vnni : {false, true}) {
        TestMatrix y(9, cols, 3);
        if (vnni) {
          multiply_vnni_panels<Scalar>(c.unsigned_rows(), c.matrix, first, count, c.bias.row(0).data(), y.view());
        } else {
          multiply_int8(c.quantized, c.matrix, first, count, c.bias.row(0).data(), y.view());
        }
        for (Index i = 0; i < 9; ++i) {
          for (Index j = 0; j < cols; ++j) ASSERT_EQ(y(i, j), want[at(i * 70 + first * 16 + j)]) << first << ", " << j;
        }
        EXPECT_TRUE(y.edges_intact());
      }
    }
  }
}

TEST(Int8, RowsAreQuantizedAloneOrInBlocks) {
  Case c(20, 17, 65, mixed, mixed);
  const Int8Rows blocks{c.arena.array<std::byte>(20 * int8_row_bytes(65)).data(), c.arena.floats(20).data()};
  for (const Index first : {0, 7, 8}) {
    quantize_rows(c.x.view(), first, first == 0 ? 7 : first == 7 ? 1 : 12, blocks);
  }
  TestMatrix y(20, 17, 3);
  multiply_int8(blocks, c.matrix, 0, 2, nullptr, y.view());
  EXPECT_EQ(flat(y.view()), c.expected(false));
}

TEST(Int8, ARowOfZerosGivesTheBias) {
  Case c(
      3, 17, 7, [](Index i, Index j) { return i == 1 ? 0.0f : mixed(i, j); }, mixed);
  TestMatrix y(3, 17, 3);
  multiply_int8(c.quantized, c.matrix, 0, 2, c.bias.row(0).data(), y.view());
  EXPECT_EQ(flat(y.view().rows_from(1, 1)), flat(c.bias.view()));
  EXPECT_EQ(flat(y.view()), c.expected(true));
}

TEST(Int8, RowsAndChannelsOfTheSmallestNumbersGiveNothing) {
  const float denormal = std::numeric_limits<float>::denorm_min();
  for (const float small : {0.0f, denormal, 1e-38f}) {
    const auto second_small = [&](Index i, Index k) { return i == 1 ? (k % 2 == 0 ? small : 0.0f) : 1.0f; };
    Case c(3, 3, 9, second_small, second_small);
    for (const Multiply multiply : {multiply_here, multiply_as_vnni}) {
      TestMatrix y(3, 3, 3);
      multiply(c, nullptr, y.view());
      EXPECT_EQ(flat(y.view()), c.expected(false)) << small;
      EXPECT_EQ(y(0, 1), 0.0f);
      EXPECT_EQ(y(1, 2), 0.0f);
      EXPECT_EQ(y(2, 2), 9.0f);
    }
  }
}

TEST(Int8, ARowThatIsNotANumberGivesNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, -nan, infinity, -infinity}) {
    for (const Index place : {0, 5, 39, 40}) {
      Case c(3, 17, 41, mixed, mixed);
      c.x.view()(1, place) = bad;
      quantize_rows(c.x.view(), 0, 3, c.quantized);
      TestMatrix y(3, 17, 3);
      multiply_int8(c.quantized, c.matrix, 0, 2, c.bias.row(0).data(), y.view());
      for (Index channel = 0; channel < 17; ++channel) {
        EXPECT_TRUE(std::isnan(y(1, channel))) << bad << " at " << place;
        EXPECT_EQ(y(0, channel), c.expected(0, channel, true));
        EXPECT_EQ(y(2, channel), c.expected(2, channel, true));
      }
    }
  }
}

TEST(Int8, ChannelsComeBackButForTheirRounding) {
  Case c(1, 33, 65, mixed, mixed);
  for (Index channel = 0; channel < 33; ++channel) {
    std::vector<float> row(65);
    dequantize_channel(c.matrix, channel, row);
    for (Index k = 0; k < 65; ++k) {
      EXPECT_EQ(row[at(k)], c.matrix.scales[channel] * static_cast<float>(c.w_integers(channel, k)));
      EXPECT_LE(std::abs(row[at(k)] - c.w(channel, k)), 0.51f * c.matrix.scales[channel]);
    }
  }
}

}  // namespace
}  // namespace heed::kernels
