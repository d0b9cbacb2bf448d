#include "layers/linear.h"

#include <algorithm>
#include <memory>

#include "kernels/elementwise.h"
#include "layers/product.h"

namespace heed {
namespace {

using kernels::Start;

constexpr Index columns_per_task = 64;
constexpr std::size_t panel_alignment = 64;

}  // namespace

Index panels_size(const Linear& layer) {
  const Index width = kernels::panel_width();
  const Matrix<float>& w = layer.weight;
  return std::max(kernels::panels_size(w.cols, w.rows, width), kernels::panels_size(w.rows, w.cols, width));
}

void pack_linear(Linear& layer, float* forward, float* backward, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::packing);
  const Matrix<float> w = layer.weight;
  const Index width = kernels::panel_width();
  layer.panels = forward;
  layer.backward_panels = backward;
  const Index blocks = divide_up(w.rows, rows_per_task);
  workspace.threads.run(blocks, [&](Index block, int) noexcept {
    const Index first = block * rows_per_task;
    const Index count = std::min(rows_per_task, w.rows - first);
    kernels::pack_panels_transposed(w.rows_from(first, count), width, forward + first * w.cols);
    if (backward != nullptr) kernels::pack_panels(w, first, count, width, backward);
  });
}

void linear(Matrix<const float> x, const Linear& layer, Matrix<float> y, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::linear_forward);
  const Arena::Scope scope(workspace.arena);
  const LinearInput input = prepare_input(x, layer, workspace);
  const Index across = divide_up(y.cols, tile_cols);
  workspace.threads.run(divide_up(y.rows, tile_rows) * across, [&](Index tile, int) noexcept {
    const Index row = tile / across * tile_rows;
    const Index col = tile % across * tile_cols;
    const Matrix<float> rows = y.rows_from(row, std::min(tile_rows, y.rows - row));
    linear_part(input, layer, row, col, rows.cols_from(col, std::min(tile_cols, y.cols - col)));
  });
}

LinearInput prepare_input(Matrix<const float> x, const Linear& layer, const Workspace& workspace) {
  if (layer.int8.panels == nullptr) return {x, {}};
  const kernels::Int8Rows rows{workspace.arena.array<std::byte>(x.rows * kernels::int8_row_bytes(x.cols)).data(),
                               workspace.arena.floats(x.rows).data()};
  for_row_blocks(workspace, x.rows,
                 [&](Index first, Index count) noexcept { kernels::quantize_rows(x, first, count, rows); });
  return {x, rows};
}

void linear_part(const LinearInput& input, const Linear& layer, Index row, Index col, Matrix<float> y) noexcept {
  const float* bias = layer.bias.empty() ? nullptr : layer.bias.data;
  if (layer.int8.panels != nullptr) {
    const kernels::Int8Rows rows{input.int8.data + row * kernels::int8_row_bytes(input.x.cols),
                                 input.int8.scales + row};
    return kernels::multiply_int8(rows, layer.int8, col / kernels::int8_panel_channels,
                                  divide_up(y.cols, kernels::int8_panel_channels), bias, y);
  }
  kernels::Right panels = kernels::right_panels(layer.panels, input.x.cols);
  panels.data += col / kernels::panel_width() * panels.panel;
  kernels::multiply(kernels::left_rows(input.x.rows_from(row, y.rows)), panels, input.x.cols, y,
                    bias == nullptr ? Start::zero : Start::bias, bias == nullptr ? nullptr : bias + col);
}

void LinearSubset::choose(const Linear& whole, std::span<const int> outputs) {
  const Index count = static_cast<Index>(outputs.size());
  const Index depth = whole.weight.cols;
  const bool integers = whole.int8.panels != nullptr;
  const Index width = integers ? kernels::int8_panel_channels : kernels::panel_width();
  const Index padded = round_up(count, width);
  const Index panel_bytes = integers ? kernels::int8_panels_size(count, depth)
                                     : kernels::panels_size(depth, count, width) * static_cast<Index>(sizeof(float));
  // The panels, then three vectors: biases, and for integers sums and scales.
  const Index vector_bytes = padded * static_cast<Index>(sizeof(float));
  const auto bytes = static_cast<std::size_t>(panel_bytes + 3 * vector_bytes);
  std::size_t room = bytes + panel_alignment;
  if (room > memory_.size()) memory_.resize(room);
  void* memory = memory_.data();
  std::align(panel_alignment, bytes, memory, room);
  auto* bias = reinterpret_cast<float*>(static_cast<std::byte*>(memory) + panel_bytes);
  layer_ = {};
  layer_.weight = {nullptr, count, depth};
  if (integers) {
    auto* panels = static_cast<std::int8_t*>(memory);
    auto* sums = reinterpret_cast<std::int32_t*>(bias + padded);
    float* scales = bias + 2 * padded;
    kernels::gather_channels(whole.int8, outputs, panels, sums, scales);
    layer_.int8 = {panels, sums, scales, count, depth};
  } else {
    auto* panels = static_cast<float*>(memory);
    kernels::gather_panel_columns(whole.panels, depth, outputs, width, panels);
    layer_.panels = panels;
  }
  if (whole.bias.empty()) return;
  for (Index i = 0; i < count; ++i) bias[i] = whole.bias(0, outputs[static_cast<std::size_t>(i)]);
  layer_.bias = {bias, 1, count};
}

void linear_backward(Matrix<const float> dy, Matrix<const float> x, const Linear& layer, const Linear& gradient,
                     Into dx, const Workspace& workspace) {
  const PhaseTimer timer(workspace, Phase::linear_backward);
  const Arena::Scope scope(workspace.arena);
  const PackedPair packed(dy, x, workspace.arena);
  const Index bias_tasks = gradient.bias.empty() ? 0 : divide_up(dy.cols, columns_per_task);
  workspace.threads.run(packed.strips() + bias_tasks, [&](Index task, int) noexcept {
    if (task < packed.strips()) return packed.pack(task);
    const Index first = (task - packed.strips()) * columns_per_task;
    const Index count = std::min(columns_per_task, dy.cols - first);
    kernels::add_column_sums(dy.cols_from(first, count), gradient.bias.cols_from(first, count).row_span(0));
  });

  const Product dweight = packed.product(gradient.weight, Start::add);
  const Product dinput{kernels::left_rows(dy), kernels::right_panels(layer.backward_panels, dy.cols), dy.cols,
                       dx.matrix, dx.start};
  // One loop over both products: the threads wait for each other once, not twice.
  const Index dweight_tiles = dweight.tiles();
  workspace.threads.run(dweight_tiles + dinput.tiles(), [&](Index tile, int) noexcept {
    if (tile < dweight_tiles) return dweight.compute(tile);
    dinput.compute(tile - dweight_tiles);
  });
}

}  // namespace heed
