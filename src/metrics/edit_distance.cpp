#include "metrics/edit_distance.h"

#include <algorithm>
#include <cmath>

namespace heed::metrics {
namespace {

constexpr int narrowest_beam = 25;
constexpr int unreachable = 1 << 29;

// Wide enough that the bands of adjacent rows overlap even if the reference is far longer than the hypothesis.
int beam_width(double columns_per_row) {
  const double half = columns_per_row / 2.0;
  return narrowest_beam < half ? static_cast<int>(std::ceil(half + narrowest_beam)) : narrowest_beam;
}

}  // namespace

EditDistance::EditDistance(Words reference, std::size_t hypothesis_length)
    : reference_(reference),
      rows_(hypothesis_length),
      columns_per_row_(rows_ == 0 ? 1.0 : static_cast<double>(reference.size()) / static_cast<double>(rows_)),
      beam_(beam_width(columns_per_row_)),
      stride_(static_cast<std::size_t>(2 * beam_ + 2)),
      base_((rows_ + 1) * stride_),
      scratch_(2 * stride_) {}

EditDistance::Band EditDistance::band(std::size_t row) const {
  const int columns = static_cast<int>(reference_.size()) + 1;
  if (row == 0) return {0, columns};
  const int middle = static_cast<int>(std::floor(static_cast<double>(row) * columns_per_row_));
  return {std::max(0, middle - beam_), row == rows_ ? columns : std::min(columns, middle + beam_)};
}

int EditDistance::base_cost(std::size_t row, int column) const {
  if (row == 0) return column;
  const Band b = band(row);
  if (column < b.begin || column >= b.end) return unreachable;
  return base_[row * stride_ + static_cast<std::size_t>(column - b.begin)];
}

void EditDistance::fill_row(std::size_t row, std::uint32_t word, std::span<const int> above,
                            std::span<int> costs) const {
  const Band here = band(row);
  const Band before = band(row - 1);
  const auto cost_above = [&](int column) {
    if (row == 1) return column;
    if (column < before.begin || column >= before.end) return unreachable;
    return above[static_cast<std::size_t>(column - before.begin)];
  };
  int left = unreachable;
  int diagonal = here.begin > 0 ? cost_above(here.begin - 1) : unreachable;
  for (int column = here.begin; column < here.end; ++column) {
    const int up = cost_above(column);
    const bool matches = column > 0 && word == reference_[static_cast<std::size_t>(column) - 1];
    left = std::min({diagonal + (matches ? 0 : 1), up + 1, left + 1, unreachable});
    costs[static_cast<std::size_t>(column - here.begin)] = left;
    diagonal = up;
  }
}

int EditDistance::set_base(Words hypothesis) {
  for (std::size_t row = 1; row <= rows_; ++row) {
    fill_row(row, hypothesis[row - 1], base_row(row - 1), base_row(row));
  }
  return base_cost(rows_, static_cast<int>(reference_.size()));
}

Alignment EditDistance::align_base(Words base) const {
  Alignment alignment;
  alignment.hypothesis_word.resize(reference_.size());
  alignment.reference_wrong.resize(reference_.size());
  alignment.hypothesis_wrong.resize(rows_);
  std::size_t row = rows_;
  std::size_t column = reference_.size();
  // On ties, prefer a match or substitution, then a surplus word, then a missing word.
  while (row > 0 || column > 0) {
    const int cost = base_cost(row, static_cast<int>(column));
    const bool differs = row > 0 && column > 0 && base[row - 1] != reference_[column - 1];
    const bool pair =
        row > 0 && column > 0 && cost == base_cost(row - 1, static_cast<int>(column) - 1) + (differs ? 1 : 0);
    const bool surplus = !pair && row > 0 && cost == base_cost(row - 1, static_cast<int>(column)) + 1;
    if (!surplus) {
      alignment.hypothesis_word[column - 1] = static_cast<int>(row) - 1;
      alignment.reference_wrong[column - 1] = !pair || differs;
      --column;
    }
    if (pair || surplus) {
      alignment.hypothesis_wrong[row - 1] = surplus || differs;
      --row;
    }
  }
  return alignment;
}

int EditDistance::distance(Words hypothesis, std::size_t same, int limit) {
  if (same >= rows_) return base_cost(rows_, static_cast<int>(reference_.size()));
  std::span<int> above = base_row(same);
  std::span<int> costs = std::span(scratch_).first(stride_);
  std::span<int> other = std::span(scratch_).last(stride_);
  for (std::size_t row = same + 1; row <= rows_; ++row) {
    fill_row(row, hypothesis[row - 1], above, costs);
    // Every path crosses this row, so none is cheaper than its cheapest cell.
    const Band b = band(row);
    const int cheapest = *std::min_element(costs.begin(), costs.begin() + (b.end - b.begin));
    if (cheapest > limit) return cheapest;
    above = costs;
    std::swap(costs, other);
  }
  const Band last = band(rows_);
  return above[static_cast<std::size_t>(last.end - 1 - last.begin)];
}

}  // namespace heed::metrics
