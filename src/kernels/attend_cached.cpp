#include "kernels/attend_cached.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/int8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attend_cached.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/int8-inl.h"
#include "kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using Bytes = hn::Rebind<std::int8_t, F32>;

HWY_INLINE VF LoadNumbers(const float* from, Whole) { return hn::LoadU(F32(), from); }
HWY_INLINE VF LoadNumbers(const float* from, Part part) { return Load(from, part); }
HWY_INLINE VF LoadNumbers(const std::int8_t* from, Whole) {
  return hn::ConvertTo(F32(), hn::PromoteTo(hn::Rebind<std::int32_t, F32>(), hn::LoadU(Bytes(), from)));
}
HWY_INLINE VF LoadNumbers(const std::int8_t* from, Part part) {
  std::int8_t buffer[kMaxLanes] = {};
  std::copy_n(from, part.count, buffer);
  return LoadNumbers(buffer, Whole());
}

// Where the parts of a row are; scales only in 8 bits.
template <class T>
struct RowLayout {
  explicit RowLayout(const CacheShape& shape)
      : shape(shape), values(shape.heads * shape.d_k), scales(round_up(shape.numbers(), 4)) {}

  const T* key(const std::byte* row, Index head) const { return reinterpret_cast<const T*>(row) + head * shape.d_k; }
  const T* value(const std::byte* row, Index head) const {
    return reinterpret_cast<const T*>(row) + values + head * shape.d_v;
  }
  float key_scale(const std::byte* row, Index head) const { return scale(row, head); }
  float value_scale(const std::byte* row, Index head) const { return scale(row, shape.heads + head); }

  CacheShape shape;
  Index values;
  Index scales;

 private:
  float scale(const std::byte* row, Index i) const {
    return sizeof(T) == 1 ? reinterpret_cast<const float*>(row + scales)[i] : 1.0f;
  }
};

// The scores of one head's query, for either type of number. Prepare converts the query to the form that is multiplied;
// PartialDot returns a vector whose lanes are yet to be summed.
struct FloatScores {
  using Number = float;
  using Tag = F32;

  static HWY_INLINE void Prepare(const float*, Index, float*) {}
  HWY_INLINE FloatScores(const float* query, const float*) : query_(query) {}

  HWY_INLINE VF PartialDot(const float* key, Index count) const {
    VF sum = hn::Zero(F32());
    ForEachVector(count,
                  [&](Index i, auto n) HWY_ATTR { sum = hn::MulAdd(Load(query_ + i, n), Load(key + i, n), sum); });
    return sum;
  }
  HWY_INLINE VF Scores(VF sums) const { return sums; }

 private:
  const float* query_;
};

// Integers throughout, so that a sum has the same bits on every instruction set. The query gets 15 bits, or as many as
// keep the sums of its products within 32.
struct Int8Scores {
  using Number = std::int8_t;
  using Tag = I32;

  // The scale, then the integers.
  static HWY_INLINE void Prepare(const float* query, Index count, float* prepared) {
    const F32 d;
    const hn::Rebind<std::int16_t, F32> d16;
    const float magnitude = LargestMagnitude(query, count);
    const float most = std::min(32767.0f, std::floor(16777216.0f / static_cast<float>(count)));
    const VF factor = hn::Set(d, magnitude >= int8_smallest_magnitude ? most / magnitude : 0.0f);
    auto* integers = reinterpret_cast<std::int16_t*>(prepared + 1);
    ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
      StoreIntegers(hn::DemoteTo(d16, hn::NearestInt(hn::Mul(Load(query + i, n), factor))), d16, integers + i, n);
    });
    *prepared = magnitude / most;
  }
  HWY_INLINE Int8Scores(const float*, const float* prepared)
      : query_(reinterpret_cast<const std::int16_t*>(prepared + 1)), scale_(*prepared) {}

  HWY_INLINE VI32 PartialDot(const std::int8_t* key, Index count) const {
    const I16 d;
    const hn::Rebind<std::int8_t, I16> d8;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    VI32 sum = hn::Zero(I32());
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
      sum = AddPairs(sum, hn::LoadU(d, query_ + i), hn::PromoteTo(d, hn::LoadU(d8, key + i)));
    }
    if (i < count) {
      std::int16_t q[hn::MaxLanes(I16())] = {};
      std::int8_t k[hn::MaxLanes(I16())] = {};
      std::copy_n(query_ + i, count - i, q);
      std::copy_n(key + i, count - i, k);
      sum = AddPairs(sum, hn::LoadU(d, q), hn::PromoteTo(d, hn::LoadU(d8, k)));
    }
    return sum;
  }
  HWY_INLINE VF Scores(VI32 sums) const { return hn::Mul(hn::ConvertTo(F32(), sums), hn::Set(F32(), scale_)); }

 private:
  const std::int16_t* query_;
  float scale_;
};

constexpr int kKeys = static_cast<int>(kMaxLanes);  // keys at a time: as many sums as lanes turn into one vector

// Some rows of the cache. If there are fewer than kKeys, the last one is repeated.
struct RowGroup {
  HWY_INLINE RowGroup(Matrix<const std::byte> cache, std::span<const std::int32_t> some) : count(some.size()) {
    for (size_t r = 0; r < static_cast<size_t>(kKeys); ++r) rows[r] = cache.row(some[std::min(r, count - 1)]);
  }

  const std::byte* rows[kKeys];
  size_t count;
};

// Turns scores into weights that sum to 1.
HWY_INLINE void Softmax(float* row, Index count, float scale) {
  const F32 d;
  VF largest = hn::Set(d, -std::numeric_limits<float>::infinity());
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    largest = hn::Max(largest, Fill(Load(row + i, n), -std::numeric_limits<float>::infinity(), n));
  });
  const float maximum = scale * Max(largest);
  VF sum = hn::Zero(d);
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    const VF e = Exp(hn::MulSub(Load(row + i, n), hn::Set(d, scale), hn::Set(d, maximum)));
    sum = hn::Add(sum, Fill(e, 0.0f, n));
    Store(e, row + i, n);
  });
  const VF share = hn::Set(d, 1.0f / Sum(sum));
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR { Store(hn::Mul(Load(row + i, n), share), row + i, n); });
}

// The dot products of a head's query and kCount keys from `first` on, one in each lane. Halves are joined as soon as
// both are there, so that everything stays in registers.
template <int kCount, class Scores, class T = typename Scores::Number>
HWY_INLINE hn::Vec<typename Scores::Tag> Dots(const Scores& scores, const RowLayout<T>& layout, const RowGroup& group,
                                              Index head, int first) {
  if constexpr (kCount == 1) {
    return scores.PartialDot(layout.key(group.rows[first], head), layout.shape.d_k);
  } else {
    const typename Scores::Tag d;
    const auto low = Dots<kCount / 2>(scores, layout, group, head, first);
    const auto high = Dots<kCount / 2>(scores, layout, group, head, first + kCount / 2);
    return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
  }
}

// weights[i] = the score of row i, for one head.
template <class Scores, class T = typename Scores::Number>
HWY_INLINE void ScoreRows(const Scores& scores, const RowLayout<T>& layout, const RowGroup& group, Index head,
                          float* weights) {
  float found[kKeys];
  hn::StoreU(scores.Scores(Dots<kKeys>(scores, layout, group, head, 0)), F32(), found);
  for (size_t r = 0; r < group.count; ++r) weights[r] = found[r] * layout.key_scale(group.rows[r], head);
}

// context += the values of some rows of one head, each with its weight. A few vectors of the context stay in registers
// over all rows.
template <class T>
HWY_INLINE void AddRows(const RowLayout<T>& layout, const RowGroup& group, Index head, const float* weights,
                        float* context) {
  const F32 d;
  const T* values[kKeys];
  float factors[kKeys];
  for (size_t r = 0; r < group.count; ++r) {
    values[r] = layout.value(group.rows[r], head);
    factors[r] = weights[r] * layout.value_scale(group.rows[r], head);
  }
  constexpr Index kBlock = 4;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + kBlock * lanes <= layout.shape.d_v; i += kBlock * lanes) {
    VF sum0 = hn::LoadU(d, context + i);
    VF sum1 = hn::LoadU(d, context + i + lanes);
    VF sum2 = hn::LoadU(d, context + i + 2 * lanes);
    VF sum3 = hn::LoadU(d, context + i + 3 * lanes);
    for (size_t r = 0; r < group.count; ++r) {
      const VF factor = hn::Set(d, factors[r]);
      const T* value = values[r] + i;
      sum0 = hn::MulAdd(factor, LoadNumbers(value, Whole()), sum0);
      sum1 = hn::MulAdd(factor, LoadNumbers(value + lanes, Whole()), sum1);
      sum2 = hn::MulAdd(factor, LoadNumbers(value + 2 * lanes, Whole()), sum2);
      sum3 = hn::MulAdd(factor, LoadNumbers(value + 3 * lanes, Whole()), sum3);
    }
    hn::StoreU(sum0, d, context + i);
    hn::StoreU(sum1, d, context + i + lanes);
    hn::StoreU(sum2, d, context + i + 2 * lanes);
    hn::StoreU(sum3, d, context + i + 3 * lanes);
  }
  ForEachVector(layout.shape.d_v - i, [&](Index j, auto n) HWY_ATTR {
    VF sum = Load(context + i + j, n);
    for (size_t r = 0; r < group.count; ++r) {
      sum = hn::MulAdd(hn::Set(d, factors[r]), LoadNumbers(values[r] + i + j, n), sum);
    }
    Store(sum, context + i + j, n);
  });
}

// Prefetches the rows of the next call, a few lines at a time: all at once, they would stall the work.
class Ahead {
 public:
  HWY_INLINE Ahead(const CacheShape& shape, Matrix<const std::byte> cache, std::span<const std::int32_t> rows)
      : cache_(cache), rows_(rows), lines_(cache_row_bytes(shape) / kLine) {}

  // Part `part` of `parts` of up to `count` rows from `begin` on.
  HWY_INLINE void Fetch(size_t begin, size_t count, Index part, Index parts) const {
    const Index end = (part + 1) * lines_ / parts;
    for (size_t r = begin; r < std::min(begin + count, rows_.size()); ++r) {
      const std::byte* row = cache_.row(rows_[r]);
      for (Index line = part * lines_ / parts; line < end; ++line) __builtin_prefetch(row + line * kLine, 0, 2);
    }
  }

 private:
  static constexpr Index kLine = 64;
  Matrix<const std::byte> cache_;
  std::span<const std::int32_t> rows_;
  Index lines_;
};

// Keys, then values, are read in groups of rows; all heads process a group before the next one is read.
template <class Scores, class T = typename Scores::Number>
HWY_INLINE void AttendNumbers(const CacheShape& shape, Index first, Index count, const float* query,
                              Matrix<const std::byte> cache, std::span<const std::int32_t> rows,
                              std::span<const std::int32_t> next_rows, float* context, float* weights) {
  const RowLayout<T> layout(shape);
  const Ahead ahead(shape, cache, next_rows);
  const size_t length = rows.size();
  const auto group_at = [&](size_t i)
                            HWY_ATTR { return RowGroup(cache, rows.subspan(i, std::min<size_t>(kKeys, length - i))); };
  float* prepared = weights + static_cast<size_t>(count) * length;
  for (Index h = 0; h < count; ++h) {
    Scores::Prepare(query + (first + h) * shape.d_k, shape.d_k, prepared + h * shape.query_floats());
  }
  for (size_t i = 0; i < length; i += kKeys) {
    const RowGroup group = group_at(i);
    for (Index h = 0; h < count; ++h) {
      const Scores scores(query + (first + h) * shape.d_k, prepared + h * shape.query_floats());
      ScoreRows(scores, layout, group, first + h, weights + static_cast<size_t>(h) * length + i);
      ahead.Fetch(i, kKeys, h, 2 * count);
    }
  }
  const float scale = 1.0f / std::sqrt(static_cast<float>(shape.d_k));
  for (Index h = 0; h < count; ++h) {
    Softmax(weights + static_cast<size_t>(h) * length, static_cast<Index>(length), scale);
  }
  std::fill_n(context + first * shape.d_v, count * shape.d_v, 0.0f);
  for (size_t i = 0; i < length; i += kKeys) {
    const RowGroup group = group_at(i);
    for (Index h = 0; h < count; ++h) {
      AddRows(layout, group, first + h, weights + static_cast<size_t>(h) * length + i,
              context + (first + h) * shape.d_v);
      ahead.Fetch(i, kKeys, count + h, 2 * count);
    }
  }
  const size_t asked_for = round_up(static_cast<Index>(length), kKeys);
  if (next_rows.size() > asked_for) ahead.Fetch(asked_for, next_rows.size() - asked_for, 0, 1);
}

void AttendCached(const CacheShape& shape, Index first, Index count, const float* query, Matrix<const std::byte> cache,
                  std::span<const std::int32_t> rows, std::span<const std::int32_t> next_rows, float* context,
                  float* weights) {
  if (shape.type == CacheType::int8) {
    AttendNumbers<Int8Scores>(shape, first, count, query, cache, rows, next_rows, context, weights);
  } else {
    AttendNumbers<FloatScores>(shape, first, count, query, cache, rows, next_rows, context, weights);
  }
}

// Integers of one head; returns their scale, which is NaN or infinite when a number is.
HWY_INLINE float QuantizeHead(const float* x, Index count, std::int8_t* to) {
  const F32 d;
  const float magnitude = LargestMagnitude(x, count);
  const VF factor = hn::Set(d, int8_factor(magnitude));
  ForEachVector(count, [&](Index i, auto n) HWY_ATTR {
    StoreIntegers(hn::DemoteTo(Bytes(), hn::NearestInt(hn::Mul(Load(x + i, n), factor))), Bytes(), to + i, n);
  });
  return magnitude / 127.0f;
}

void StoreCached(const CacheShape& shape, const float* key_value, std::byte* row) {
  if (shape.type == CacheType::f32) {
    std::copy_n(key_value, shape.numbers(), reinterpret_cast<float*>(row));
    return;
  }
  auto* integers = reinterpret_cast<std::int8_t*>(row);
  auto* scales = reinterpret_cast<float*>(row + RowLayout<std::int8_t>(shape).scales);
  for (Index part = 0; part < 2; ++part) {
    const Index size = part == 0 ? shape.d_k : shape.d_v;
    for (Index head = 0; head < shape.heads; ++head, key_value += size, integers += size) {
      *scales++ = QuantizeHead(key_value, size, integers);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(AttendCached);
HWY_EXPORT(StoreCached);

Index cache_row_bytes(const CacheShape& shape) noexcept {
  constexpr Index line = 64;
  const Index bytes = shape.type == CacheType::f32
                          ? shape.numbers() * static_cast<Index>(sizeof(float))
                          : round_up(shape.numbers(), 4) + 2 * shape.heads * static_cast<Index>(sizeof(float));
  return (divide_up(bytes, line) | 1) * line;
}

Index attend_cached_scratch(const CacheShape& shape, Index heads, Index rows) noexcept {
  return heads * (rows + shape.query_floats());
}

void store_cached(const CacheShape& shape, const float* key_value, std::byte* row) noexcept {
  HWY_DYNAMIC_DISPATCH(StoreCached)(shape, key_value, row);
}

void attend_cached(const CacheShape& shape, Index first, Index count, const float* query, Matrix<const std::byte> cache,
                   std::span<const std::int32_t> rows, std::span<const std::int32_t> next_rows, float* context,
                   float* weights) noexcept {
  HWY_DYNAMIC_DISPATCH(AttendCached)(shape, first, count, query, cache, rows, next_rows, context, weights);
}

}  // namespace heed::kernels
#endif
