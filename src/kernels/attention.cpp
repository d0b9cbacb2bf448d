#include "kernels/attention.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/gemm-inl.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

constexpr Index kTile = 64;
// Rows of a tile of scores are an odd number of cache lines apart, so that columns do not compete for the same cache
// sets.
constexpr Index kTileStride = kTile + 16;
constexpr Index kTileSize = kTile * kTileStride;

// The transpose of a tile of rows, in panels: the right factor of Q · Kᵀ.
HWY_INLINE void PackTransposed(Matrix<const float> rows, float* HWY_RESTRICT panels) {
  const Index width = PanelWidth();
  for (Index j = 0; j < rows.rows; j += width) {
    const Index count = std::min(width, rows.rows - j);
    float* panel = panels + j * rows.cols;
    for (Index i = 0; i < count; ++i) {
      const float* from = rows.row(j + i);
      for (Index k = 0; k < rows.cols; ++k) panel[k * width + i] = from[k];
    }
    for (Index i = count; i < width; ++i) {
      for (Index k = 0; k < rows.cols; ++k) panel[k * width + i] = 0.0f;
    }
  }
}

// Tile of A · Bᵀ from the panels of B. Computed to whole panels: what is beyond the last key is never read.
HWY_INLINE void Scores(Matrix<const float> a, const float* b_panels, Index keys, float* scores) {
  const Matrix<float> tile(scores, a.rows, round_up(keys, PanelWidth()), kTileStride);
  MultiplyBlock(LeftRows(a), RightPanels(b_panels, a.cols), a.cols, tile, Start::zero, nullptr);
}

// Two ranges of positions, [0, head) and [from, to). They do not touch: one alone is [from, to).
struct Ranges {
  Index head = 0;
  Index from = 0;
  Index to = 0;

  HWY_INLINE bool Empty() const { return head == 0 && from == to; }
  // The first tile at or after `tile` that holds any of them; at or beyond `to` if there is none.
  HWY_INLINE Index NextTile(Index tile) const {
    return tile < head || tile + kTile > from ? tile : from / kTile * kTile;
  }
};

HWY_INLINE Ranges Join(Index head, Index from, Index to) {
  return from <= head ? Ranges{0, 0, to} : Ranges{head, from, to};
}

// The keys that any of `count` queries from `query` on sees. For a single query it is exact.
HWY_INLINE Ranges KeysSeen(Reach reach, Index query, Index count, Index keys) {
  const bool all_ahead = reach.ahead == Reach::all || (reach.ahead > 0 && query < reach.globals);
  const Index to = all_ahead ? keys : std::min(keys, query + count + reach.ahead);
  if (reach.back >= query) return {0, 0, to};
  return Join(std::min(reach.globals, to), query - reach.back, to);
}

// The queries that see any of `count` keys from `key` on: tile by tile the same pairs as KeysSeen.
HWY_INLINE Ranges QueriesSeeing(Reach reach, Index key, Index count, Index queries) {
  const bool global = key < reach.globals;
  const Index to = reach.back == Reach::all || global ? queries : std::min(queries, key + count + reach.back);
  if (reach.ahead == 0) return {0, key, to};
  if (reach.ahead >= key || global) return {0, 0, to};
  return Join(std::min(reach.globals, queries), key - reach.ahead, to);
}

// The keys of the tile at `key` that a query sees, counted from there.
HWY_INLINE Ranges Visible(Reach reach, Index query, Index key, Index keys) {
  if (reach.ahead == Reach::all && reach.back == Reach::all) return {0, 0, keys};
  const Ranges seen = KeysSeen(reach, query, 1, key + keys);
  const auto inside = [&](Index i) HWY_ATTR { return std::clamp<Index>(i - key, 0, keys); };
  return Join(inside(seen.head), inside(seen.from), inside(seen.to));
}

HWY_INLINE float Dot(const float* a, const float* b, Index count) {
  VF sum = hn::Zero(F32());
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR { sum = hn::MulAdd(Load(a + i, n), Load(b + i, n), sum); });
  return Sum(sum);
}

HWY_INLINE void Scale(float* row, Index count, float factor) {
  ForEachVector(
      count, [&](Index i, auto n) HWY_ATTR { Store(hn::Mul(Load(row + i, n), hn::Set(F32(), factor)), row + i, n); });
}

// Replaces scores by e^(scale · score − maximum) and returns their sum.
HWY_INLINE float Exponentials(float* row, Index count, float scale, float maximum) {
  const F32 d;
  VF sum = hn::Zero(d);
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    const VF e = Exp(hn::MulSub(Load(row + i, n), hn::Set(d, scale), hn::Set(d, maximum)));
    sum = hn::Add(sum, Fill(e, 0.0f, n));
    Store(e, row + i, n);
  });
  return Sum(sum);
}

// The same for the visible keys of a tile; the others become 0.
HWY_INLINE float Exponentials(float* row, const Ranges& visible, Index keys, float scale, float maximum) {
  float sum = Exponentials(row + visible.from, visible.to - visible.from, scale, maximum);
  if (visible.from > 0) {
    sum += Exponentials(row, visible.head, scale, maximum);
    std::fill(row + visible.head, row + visible.from, 0.0f);
  }
  std::fill(row + visible.to, row + keys, 0.0f);
  return sum;
}

HWY_INLINE float LargestScore(const float* row, Index count) {
  const F32 d;
  VF largest = hn::Set(d, -std::numeric_limits<float>::infinity());
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    largest = hn::Max(largest, Fill(Load(row + i, n), -std::numeric_limits<float>::infinity(), n));
  });
  return Max(largest);
}

HWY_INLINE float LargestScore(const float* row, const Ranges& visible) {
  const float largest = LargestScore(row + visible.from, visible.to - visible.from);
  return visible.head > 0 ? std::max(largest, LargestScore(row, visible.head)) : largest;
}

Index AttentionScratch(Index d_k) { return kTileSize + kTile * d_k; }

void Attend(Matrix<const float> query, Matrix<const float> key, Matrix<const float> value, Reach reach,
            Matrix<float> context, std::span<float> log_sum, float* scratch) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(query.cols));
  float* scores = scratch;
  float* key_panels = scratch + kTileSize;
  for (Index i = 0; i < query.rows; i += kTile) {
    const Index queries = std::min(kTile, query.rows - i);
    const Matrix<float> out = context.rows_from(i, queries);
    float maximum[kTile];
    float sum[kTile];
    std::fill_n(maximum, queries, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, queries, 0.0f);
    const Ranges seen = KeysSeen(reach, i, queries, key.rows);
    const Index first = seen.NextTile(0);
    for (Index j = first; j < seen.to; j = seen.NextTile(j + kTile)) {
      const Index keys = std::min(kTile, key.rows - j);
      PackTransposed(key.rows_from(j, keys), key_panels);
      Scores(query.rows_from(i, queries), key_panels, keys, scores);
      for (Index r = 0; r < queries; ++r) {
        float* row = scores + r * kTileStride;
        const Ranges visible = Visible(reach, i + r, j, keys);
        if (visible.Empty()) {
          std::fill_n(row, keys, 0.0f);
          continue;
        }
        // Online softmax: a larger maximum rescales the sum and the output so far.
        const float larger = std::max(maximum[r], scale * LargestScore(row, visible));
        const float shrink = std::exp(maximum[r] - larger);
        sum[r] = sum[r] * shrink + Exponentials(row, visible, keys, scale, larger);
        maximum[r] = larger;
        if (j > first && shrink != 1.0f) Scale(out.row(r), out.cols, shrink);
      }
      MultiplyBlock(LeftRows(Matrix<const float>(scores, queries, keys, kTileStride)),
                    RightRows(value.rows_from(j, keys)), keys, out, j == first ? Start::zero : Start::add, nullptr);
    }
    for (Index r = 0; r < queries; ++r) {
      Scale(out.row(r), out.cols, 1.0f / sum[r]);
      log_sum[static_cast<size_t>(i + r)] = maximum[r] + std::log(sum[r]);
    }
  }
}

Index AttentionBackwardScratch(Index d_k, Index d_v) { return 2 * kTileSize + kTile * (d_k + d_v); }

// With P the attention weights, dP = dO Vᵀ and D = Σ P · dP over the keys of a query:
//   dV = Pᵀ dO,   dS = P ∘ (dP − D) / √d_k,   dQ = dS K,   dK = dSᵀ Q.
// Where the keys take several tiles, D = Σ dO · O gives the same sum without seeing all of them at once; in one tile
// the sum over keys cancels exactly where it must.
void AttendBackwardOfTarget(const AttendBackward& head, Reach reach, float* scratch) {
  const F32 d;
  const float scale = 1.0f / std::sqrt(static_cast<float>(head.query.cols));
  float* scores = scratch;
  float* dscores = scores + kTileSize;
  float* key_panels = dscores + kTileSize;
  float* value_panels = key_panels + kTile * head.key.cols;
  const bool all_keys = head.key.rows <= kTile;
  for (Index j = 0; j < head.key.rows; j += kTile) {
    const Index keys = std::min(kTile, head.key.rows - j);
    PackTransposed(head.key.rows_from(j, keys), key_panels);
    PackTransposed(head.value.rows_from(j, keys), value_panels);
    const Ranges seeing = QueriesSeeing(reach, j, keys, head.query.rows);
    const Index first = seeing.NextTile(0);
    for (Index i = first; i < seeing.to; i = seeing.NextTile(i + kTile)) {
      const Index queries = std::min(kTile, head.query.rows - i);
      const Matrix<const float> query = head.query.rows_from(i, queries);
      const Matrix<const float> dcontext = head.dcontext.rows_from(i, queries);
      const Matrix<const float> weights(scores, queries, keys, kTileStride);
      const Matrix<const float> dweights(dscores, queries, keys, kTileStride);
      Scores(query, key_panels, keys, scores);
      for (Index r = 0; r < queries; ++r) {
        Exponentials(scores + r * kTileStride, Visible(reach, i + r, j, keys), keys, scale,
                     head.log_sum[static_cast<size_t>(i + r)]);
      }
      const Start start = i == first ? Start::zero : Start::add;
      MultiplyBlock(LeftTransposed(weights), RightRows(dcontext), queries, head.dvalue.rows_from(j, keys), start,
                    nullptr);
      Scores(dcontext, value_panels, keys, dscores);
      for (Index r = 0; r < queries; ++r) {
        float* ds = dscores + r * kTileStride;
        const float* p = scores + r * kTileStride;
        const float weighted =
            all_keys ? Dot(p, ds, keys) : Dot(dcontext.row(r), head.context.row(i + r), dcontext.cols);
        const VF mean = hn::Set(d, weighted);
        ForEachVector(keys, [&](Index c, auto n) HWY_ATTR {
          const VF gradient = hn::Mul(Load(p + c, n), hn::Sub(Load(ds + c, n), mean));
          Store(hn::Mul(gradient, hn::Set(d, scale)), ds + c, n);
        });
      }
      MultiplyBlock(LeftRows(dweights), RightRows(head.key.rows_from(j, keys)), keys, head.dquery.rows_from(i, queries),
                    j == KeysSeen(reach, i, queries, head.key.rows).NextTile(0) ? Start::zero : Start::add, nullptr);
      MultiplyBlock(LeftTransposed(dweights), RightRows(query), queries, head.dkey.rows_from(j, keys), start, nullptr);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(AttentionScratch);
HWY_EXPORT(AttentionBackwardScratch);
HWY_EXPORT(Attend);
HWY_EXPORT(AttendBackwardOfTarget);

Index attention_scratch(Index d_k) noexcept { return HWY_DYNAMIC_DISPATCH(AttentionScratch)(d_k); }
Index attention_backward_scratch(Index d_k, Index d_v) noexcept {
  return HWY_DYNAMIC_DISPATCH(AttentionBackwardScratch)(d_k, d_v);
}

void attend(Matrix<const float> query, Matrix<const float> key, Matrix<const float> value, Reach reach,
            Matrix<float> context, std::span<float> log_sum, float* scratch) noexcept {
  HWY_DYNAMIC_DISPATCH(Attend)(query, key, value, reach, context, log_sum, scratch);
}

void attend_backward(const AttendBackward& head, Reach reach, float* scratch) noexcept {
  HWY_DYNAMIC_DISPATCH(AttendBackwardOfTarget)(head, reach, scratch);
}

}  // namespace heed::kernels
#endif
