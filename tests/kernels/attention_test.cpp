#include "kernels/attention.h"

#include <array>

#include "kernels/numbers.h"
#include "reference/tape.h"

namespace heed::kernels {
namespace {

reference::Var leaf(reference::Tape& tape, Matrix<const float> m) {
  const std::vector<float> values = flat(m);
  return tape.leaf(static_cast<int>(m.rows), static_cast<int>(m.cols), {values.begin(), values.end()});
}

bool sees(Reach reach, Index query, Index key) {
  if (reach.ahead == 0 && key > query) return false;
  if (key < reach.globals || query < reach.globals) return true;
  return key - query <= reach.ahead && query - key <= reach.back;
}

void compare_with_reference(Index queries, Index keys, Index d_k, Index d_v, Reach reach) {
  const TestMatrix q(queries, d_k, 1);
  const TestMatrix k(keys, d_k, 2);
  const TestMatrix v(keys, d_v, 3);
  const TestMatrix dcontext(queries, d_v, 4);
  TestMatrix context(queries, d_v, 5);
  TestMatrix dq(queries, d_k, 6);
  TestMatrix dk(keys, d_k, 7);
  TestMatrix dv(keys, d_v, 8);
  std::vector<float> log_sum(static_cast<std::size_t>(queries));
  std::vector<float> scratch(static_cast<std::size_t>(attention_backward_scratch(d_k, d_v)));
  attend(q.view(), k.view(), v.view(), reach, context.view(), log_sum, scratch.data());
  attend_backward(
      {q.view(), k.view(), v.view(), context.view(), dcontext.view(), log_sum, dq.view(), dk.view(), dv.view()}, reach,
      scratch.data());

  reference::Tape tape;
  const reference::Var rq = leaf(tape, q.view());
  const reference::Var rk = leaf(tape, k.view());
  const reference::Var rv = leaf(tape, v.view());
  const reference::Var scores =
      reference::scale(tape, reference::matmul_transposed(tape, rq, rk), 1.0 / std::sqrt(static_cast<double>(d_k)));
  const reference::Var weights = reference::softmax_rows(tape, scores, [&](int i, int j) { return sees(reach, i, j); });
  const reference::Var out = reference::matmul(tape, weights, rv);
  const reference::Var total = tape.node(1, 1);
  total->backward = [&] {
    const std::vector<float> g = flat(dcontext.view());
    out->grad.assign(g.begin(), g.end());
  };
  tape.backward(total);

  const auto message = testing::Message()
                       << queries << " × " << keys << ", d_k " << d_k << ", d_v " << d_v << ", ahead " << reach.ahead
                       << ", back " << reach.back << ", globals " << reach.globals;
  EXPECT_LE(relative_error(flat(context.view()), out->value), 1e-5) << message;
  // One key has all the weight, whatever its score.
  const bool alone = keys == 1 || (reach.ahead == 0 && reach.back == 0 && reach.globals == 0);
  EXPECT_LE(relative_error(flat(dq.view()), rq->grad), alone ? 1e-6 : 1e-5) << message;
  EXPECT_LE(relative_error(flat(dk.view()), rk->grad), alone ? 1e-6 : 1e-5) << message;
  EXPECT_LE(relative_error(flat(dv.view()), rv->grad), 1e-5) << message;
  for (const TestMatrix* m : {&context, &dq, &dk, &dv}) EXPECT_TRUE(m->edges_intact()) << message;
}

TEST(Attention, EqualsTheReferenceAtEveryLength) {
  for (const Index length : {1, 2, 3, 25, 63, 64, 65, 130, 513}) {
    for (const Reach reach : {Reach(), Reach{.ahead = 0}}) compare_with_reference(length, length, 8, 8, reach);
  }
}

TEST(Attention, AWindowEqualsTheReferenceAtEveryLength) {
  for (const Index length : {1, 2, 63, 64, 65, 130, 200, 513}) {
    for (const Index window : {1, 2, 5, 63, 64, 65, 100}) {
      for (const Index globals : {0, 1, 3, 64, 70}) {
        compare_with_reference(length, length, 8, 8, {.ahead = window, .back = window, .globals = globals});
        compare_with_reference(length, length, 8, 8, {.ahead = 0, .back = window - 1, .globals = globals});
      }
    }
  }
}

// Everything that attend and attend_backward compute, for queries, keys and values of one length.
std::vector<std::vector<float>> all_of(Index length, Reach reach) {
  constexpr Index d_k = 5;
  constexpr Index d_v = 9;
  const TestMatrix q(length, d_k, 1);
  const TestMatrix k(length, d_k, 2);
  const TestMatrix v(length, d_v, 3);
  const TestMatrix dcontext(length, d_v, 4);
  TestMatrix context(length, d_v, 5);
  TestMatrix dq(length, d_k, 6);
  TestMatrix dk(length, d_k, 7);
  TestMatrix dv(length, d_v, 8);
  std::vector<float> log_sum(static_cast<std::size_t>(length));
  std::vector<float> scratch(static_cast<std::size_t>(attention_backward_scratch(d_k, d_v)));
  attend(q.view(), k.view(), v.view(), reach, context.view(), log_sum, scratch.data());
  attend_backward(
      {q.view(), k.view(), v.view(), context.view(), dcontext.view(), log_sum, dq.view(), dk.view(), dv.view()}, reach,
      scratch.data());
  return {flat(context.view()), log_sum, flat(dq.view()), flat(dk.view()), flat(dv.view())};
}

TEST(Attention, AWindowOfTheWholeSentenceHasTheSameBits) {
  for (const Index length : {1, 2, 63, 64, 65, 130, 200}) {
    const auto whole = all_of(length, {});
    const auto past = all_of(length, {.ahead = 0});
    for (const Index enough : {length, length + 1, Index{1} << 30}) {
      EXPECT_EQ(all_of(length, {.ahead = enough, .back = enough}), whole) << length;
      EXPECT_EQ(all_of(length, {.ahead = 1, .back = 1, .globals = enough}), whole) << length;
      EXPECT_EQ(all_of(length, {.ahead = 0, .back = enough - 1}), past) << length;
      EXPECT_EQ(all_of(length, {.ahead = 0, .back = 0, .globals = enough}), past) << length;
    }
  }
}

TEST(Attention, WhatNoQuerySeesIsNeverRead) {
  // A sentence of 5 tiles with NaN in the keys and values from the third on: the first tile must not see them.
  constexpr Index length = 320;
  TestMatrix q(length, 4, 1);
  TestMatrix k(length, 4, 2);
  TestMatrix v(length, 4, 3);
  for (Index i = 128; i < length; ++i) {
    for (Index j = 0; j < 4; ++j) k.view()(i, j) = v.view()(i, j) = std::numeric_limits<float>::quiet_NaN();
  }
  TestMatrix context(length, 4, 4);
  std::vector<float> log_sum(length);
  std::vector<float> scratch(static_cast<std::size_t>(attention_scratch(4)));
  attend(q.view(), k.view(), v.view(), {.ahead = 8, .back = 8}, context.view(), log_sum, scratch.data());
  for (const float x : flat(context.view().rows_from(0, 64))) EXPECT_TRUE(std::isfinite(x));
}

TEST(Attention, EqualsTheReferenceAtEveryHeadSize) {
  for (const Index d : {1, 3, 15, 16, 17, 64, 100}) compare_with_reference(20, 20, d, d, Reach{.ahead = 0});
  compare_with_reference(20, 20, 3, 17, Reach{.ahead = 0});
  compare_with_reference(20, 20, 33, 2, Reach());
}

TEST(Attention, QueriesAndKeysMayDifferInNumber) {
  compare_with_reference(1, 70, 8, 8, Reach());
  compare_with_reference(70, 1, 8, 8, Reach());
  compare_with_reference(66, 129, 5, 9, Reach());
}

TEST(Attention, LargeScoresStayFinite) {
  TestMatrix q(70, 4, 1);
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 0; j < 4; ++j) q.view()(i, j) *= 1e3f;
  }
  TestMatrix context(70, 4, 2);
  std::vector<float> log_sum(70);
  std::vector<float> scratch(static_cast<std::size_t>(attention_scratch(4)));
  attend(q.view(), q.view(), q.view(), Reach{.ahead = 0}, context.view(), log_sum, scratch.data());
  for (const float x : flat(context.view())) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace heed::kernels
