// A hypothesis as one step of a decoder sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/index.h"
#include "heed/head_place.h"

namespace heed {

constexpr std::int32_t no_row = -1;

struct StepRow {
  int token = 0;  // its last one; no_token at a start from zero
  Index position = 0;
  std::span<const std::int32_t> past;    // its rows at positions 0 … position; the step writes the last
  std::span<const std::int32_t> memory;  // its source's rows
  std::int32_t state_from = no_row;      // the row of its parent's state, which the step reads; no_row: zeros
  std::int32_t state = no_row;           // the row of its own, which the step writes
  // Unless it is empty, gets the attention weights over the memory in layer attention_layer, from 0, added up over the
  // heads.
  std::span<float> attention = {};
  Index attention_layer = 0;
  std::optional<HeadPlace> silenced = {};  // a head of the decoder without output
};

}  // namespace heed
