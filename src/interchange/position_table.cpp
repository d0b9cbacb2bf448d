#include "interchange/position_table.h"

#include <fmt/format.h>

#include <cmath>

namespace heed::interchange {
namespace {

// Half a unit in the last place of numbers up to 1. Programs that compute angles in f32 are off by more the larger the
// angles, that is, the positions, are.
float tolerance(StoredForm form, Index position) {
  switch (form) {
    case StoredForm::f16: return 0x1p-11f;
    case StoredForm::bf16: return 0x1p-8f;
    default: return 1e-6f * static_cast<float>(1 + position);
  }
}

bool is_made_by(const StoredTensor& table, PositionKind kind) {
  std::vector<float> row(static_cast<std::size_t>(table.cols()), 0.0f);
  for (Index position = 0; position < table.rows(); ++position) {
    if (kind.positions != Positions::none) sinusoid(kind.positions, kind.start + position, row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float allowed = tolerance(table.form, position);
      if (!(std::abs(table.number(position * table.cols() + static_cast<Index>(i)) - row[i]) <= allowed)) return false;
    }
  }
  return true;
}

}  // namespace

PositionKind recognise_positions(const StoredTensor& table) {
  constexpr Index latest_start = 2;
  if (table.rows() == 0) return {};
  if (is_made_by(table, {Positions::none, 0})) return {Positions::none, 0};
  if (table.cols() % 2 != 0) return {};
  for (const Positions positions : {Positions::halves_paper, Positions::halves, Positions::sinusoidal}) {
    for (Index start = 0; start <= latest_start; ++start) {
      if (is_made_by(table, {positions, start})) return {positions, start};
    }
  }
  return {};
}

std::optional<std::string> note_on_rounding(const StoredTensor& table, const Config& config) {
  if (table.form == StoredForm::f32 || config.positions == Positions::learned) return std::nullopt;
  return fmt::format(
      "its table of positions is rounded to {}; heed computes the positions ({}), which changes "
      "log-probabilities in the fourth digit",
      name_of(table.form), name_of(config.positions));
}

std::vector<float> make_position_table(const Config& config, Index rows) {
  const auto width = static_cast<std::size_t>(config.d_model);
  std::vector<float> table(static_cast<std::size_t>(rows) * width, 0.0f);
  for (Index position = 0; position < rows && config.positions != Positions::none; ++position) {
    sinusoid(config.positions, config.position_start + position,
             std::span(table).subspan(static_cast<std::size_t>(position) * width, width));
  }
  return table;
}

}  // namespace heed::interchange
