#include "kernels/gemm.h"

#include "kernels/numbers.h"

namespace heed::kernels {
namespace {

std::vector<float> packed(const TestMatrix& m, Index rows, Index cols, Index width) {
  std::vector<float> panels(static_cast<std::size_t>(panels_size(rows, cols, width)), -1.0f);
  pack_panels(m.view(), 0, rows, width, panels.data());
  return panels;
}

std::vector<double> expected(const TestMatrix& a, const TestMatrix& b, Index m, Index n, Index k, const TestMatrix* c) {
  std::vector<double> result;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = c == nullptr ? 0.0 : static_cast<double>((*c)(i, j));
      for (Index l = 0; l < k; ++l) sum += static_cast<double>(a(i, l)) * static_cast<double>(b(l, j));
      result.push_back(sum);
    }
  }
  return result;
}

TEST(Gemm, EqualsTheScalarLoopAtOddSizes) {
  for (const Index m : {1, 2, 5, 6, 7, 11, 12, 13, 31}) {
    for (const Index n : {1, 3, 8, 15, 16, 17, 31, 32, 33, 100}) {
      for (const Index k : {0, 1, 3, 64, 511, 513}) {
        const TestMatrix a(m, k, 1);
        const TestMatrix b(k, n, 2);
        const std::vector<float> panels = packed(b, k, n, panel_width());
        for (const Start start : {Start::zero, Start::add}) {
          TestMatrix c(m, n, 3);
          const std::vector<double> want = expected(a, b, m, n, k, start == Start::add ? &c : nullptr);
          multiply(left_rows(a.view()), right_panels(panels.data(), k), k, c.view(), start);
          EXPECT_LE(relative_error(flat(c.view()), want), 1e-6) << m << " × " << n << " × " << k;
          EXPECT_TRUE(c.edges_intact()) << m << " × " << n << " × " << k;
        }
      }
    }
  }
}

TEST(Gemm, TransposedFactorsAsPanels) {
  const Index m = 29;
  const Index n = 37;
  const Index k = 70;
  const TestMatrix a_transposed(k, m, 4);
  const TestMatrix b(k, n, 5);
  const std::vector<float> a_panels = packed(a_transposed, k, m, row_group());
  const std::vector<float> b_panels = packed(b, k, n, panel_width());
  TestMatrix a(m, k, 0);
  for (Index i = 0; i < m; ++i) {
    for (Index l = 0; l < k; ++l) a.view()(i, l) = a_transposed(l, i);
  }
  TestMatrix c(m, n, 6);
  multiply(left_panels(a_panels.data(), k), right_panels(b_panels.data(), k), k, c.view(), Start::zero);
  EXPECT_LE(relative_error(flat(c.view()), expected(a, b, m, n, k, nullptr)), 1e-6);
}

TEST(Gemm, SumsStartFromTheBias) {
  const TestMatrix a(7, 9, 7);
  const TestMatrix b(9, 21, 8);
  TestMatrix bias(1, 21, 9);
  TestMatrix c(7, 21, 10);
  const std::vector<float> panels = packed(b, 9, 21, panel_width());
  multiply(left_rows(a.view()), right_panels(panels.data(), 9), 9, c.view(), Start::bias, bias.row(0).data());
  std::vector<double> want = expected(a, b, 7, 21, 9, nullptr);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] += static_cast<double>(bias(0, static_cast<Index>(i) % 21));
  EXPECT_LE(relative_error(flat(c.view()), want), 1e-6);
}

TEST(Gemm, ARowHasTheSameBitsInAnyCompany) {
  const Index k = 700;
  const Index n = 50;
  const TestMatrix a(200, k, 11);
  const TestMatrix b(k, n, 12);
  const std::vector<float> panels = packed(b, k, n, panel_width());
  TestMatrix all(200, n, 0);
  multiply(left_rows(a.view()), right_panels(panels.data(), k), k, all.view(), Start::zero);
  for (const Index rows : {1, 2, 3, 7, 8, 31, 32, 60}) {
    TestMatrix some(rows, n, 0);
    multiply(left_rows(a.view().rows_from(0, rows)), right_panels(panels.data(), k), k, some.view(), Start::zero);
    EXPECT_EQ(flat(some.view()), flat(all.view().rows_from(0, rows))) << rows;
  }
}

TEST(Gemm, PackingTransposedIsPackingTheTranspose) {
  for (const Index width : {5, 8, 16, 32}) {
    const TestMatrix m(37, 19, 13);
    TestMatrix transposed(19, 37, 0);
    for (Index i = 0; i < 37; ++i) {
      for (Index j = 0; j < 19; ++j) transposed.view()(j, i) = m(i, j);
    }
    std::vector<float> panels(static_cast<std::size_t>(panels_size(19, 37, width)), -1.0f);
    pack_panels_transposed(m.view(), width, panels.data());
    EXPECT_EQ(panels, packed(transposed, 19, 37, width)) << width;
  }
}

TEST(Gemm, StripsPackToTheSamePanels) {
  const TestMatrix m(100, 45, 14);
  std::vector<float> panels(static_cast<std::size_t>(panels_size(100, 45, 16)), -1.0f);
  for (const Index first : {0, 30, 64}) {
    const Index last = first == 0 ? 30 : first == 30 ? 64 : 100;
    pack_panels(m.view(), first, last - first, 16, panels.data());
  }
  EXPECT_EQ(panels, packed(m, 100, 45, 16));
}

}  // namespace
}  // namespace heed::kernels
