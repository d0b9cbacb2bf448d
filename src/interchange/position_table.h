// Tables of position embeddings in other programs' files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interchange/stored_tensor.h"
#include "model/config.h"

namespace heed::interchange {

struct PositionKind {
  Positions positions = Positions::learned;
  Index start = 0;

  bool operator==(const PositionKind&) const = default;
};

// Which of heed's formulas gives the numbers of a table, to within their precision; learned if none does.
PositionKind recognise_positions(const StoredTensor& table);

// What to tell the user where the table of such a formula is rounded to half precision.
std::optional<std::string> note_on_rounding(const StoredTensor& table, const Config& config);

// The table of a model that computes its positions, row by row.
std::vector<float> make_position_table(const Config& config, Index rows);

}  // namespace heed::interchange
