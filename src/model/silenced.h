// Heads whose output is 0: what a model does without one of them.
#pragma once

#include <optional>
#include <span>

#include "heed/head_place.h"
#include "layers/ragged_rows.h"
#include "tensor/arena.h"

namespace heed {

using Silenced = std::optional<HeadPlace>;

// For each of `count` sentences or rows the silenced head in this layer, or no_head; empty where there is none.
// place(i) gives the Silenced of number i.
template <class Place>
std::span<const int> silenced_in(AttentionPart part, Index layer, Index count, const Place& place, Arena& arena) {
  const auto here = [&](Index i) {
    const Silenced& head = place(i);
    return head && head->part == part && head->layer == layer ? head->head : no_head;
  };
  bool any = false;
  for (Index i = 0; i < count; ++i) any = any || here(i) != no_head;
  if (!any) return {};
  const std::span<int> heads = arena.array<int>(count);
  for (Index i = 0; i < count; ++i) heads[static_cast<std::size_t>(i)] = here(i);
  return heads;
}

}  // namespace heed
