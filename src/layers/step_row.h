// A hypothesis as a decoder step sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/index.h"
#include "heed/head_place.h"

namespace heed {

constexpr std::int32_t no_row = -1;

struct StepRow {
  int token = 0;  // its last one; no_token if the decoder starts from zero
  Index position = 0;
  std::span<const std::int32_t> past;    // its rows at positions 0 … position; the step writes the last
  std::span<const std::int32_t> memory;  // the rows of its source
  std::int32_t state_from = no_row;      // the row of its parent's state, which the step reads; no_row: zeros
  std::int32_t state = no_row;           // the row of its own state, which the step writes
  // Unless empty, receives the attention weights over the memory in layer attention_layer, from 0, summed over heads.
  std::span<float> attention = {};
  Index attention_layer = 0;
  std::optional<HeadPlace> silenced = {};  // a head of the decoder without output
};

}  // namespace heed
