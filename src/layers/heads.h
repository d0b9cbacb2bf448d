// What all kinds of attention share: attention over projected queries, keys and values, with one task per head and
// sentence. Sentences never see each other, so there is no padding and no padding mask.
#pragma once

#include "kernels/attention.h"
#include "layers/workspace.h"

namespace heed {

struct AttentionShape {
  Index heads = 0;
  Index d_k = 0;
  Index d_v = 0;

  Index key_width() const { return heads * d_k; }
  Index value_width() const { return heads * d_v; }
};

// Queries, keys and values of all heads, each head a slice of columns.
template <class T>
struct Projections {
  Matrix<T> query, key, value;
};

// Who attends to whom.
struct Heads {
  AttentionShape shape;
  std::span<const Index> query_offsets;
  std::span<const Index> key_offsets;
  kernels::Reach reach;
};

// context (queries, heads · d_v): the heads side by side; log_sums (heads, queries): the logarithms of the softmax
// denominators.
void attend(const Heads& heads, const Projections<const float>& projections, Matrix<float> context,
            std::span<float> log_sums, const Workspace& workspace);

// Clears head silenced[s] in the rows of sentence s.
void silence_heads(const AttentionShape& shape, std::span<const int> silenced, std::span<const Index> offsets,
                   Matrix<float> context);

// The results of the forward pass, and the gradient of the context.
struct HeadsTrace {
  Matrix<const float> context;
  Matrix<const float> dcontext;
  std::span<float> log_sums;
};
// All gradients are overwritten.
void attend_backward(const Heads& heads, const Projections<const float>& projections, const HeadsTrace& trace,
                     const Projections<float>& gradients, const Workspace& workspace);

}  // namespace heed
