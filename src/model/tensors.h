// The names, shapes and offsets of a model's tensors in a flat buffer.
//
// Parameters, gradients and moments are flat buffers of one layout; files and checkpoints need only the layout, no
// model.
#pragma once

#include <string>
#include <vector>

#include "base/index.h"

namespace heed {

// halved: with half of Glorot's variance (docs/decisions/0010).
enum class Initial { glorot_uniform, halved_glorot_uniform, embedding_normal, zeros, ones };

// matrix: a factor of products; embedding: looked up by token, and often a factor of the output's product as well;
// table: looked up by position; vector: one number per channel. Quantisation applies to the first two.
enum class Role { matrix, embedding, table, vector };

struct Tensor {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  Index offset = 0;  // in the flat buffer
  Initial initial = Initial::zeros;
  Role role = Role::matrix;

  Index size() const { return rows * cols; }
  // As in files: a vector has one dimension.
  std::vector<Index> shape() const { return rows == 1 ? std::vector{cols} : std::vector{rows, cols}; }
};

struct Layout {
  std::vector<Tensor> tensors;  // in the order of the flat buffer
  Index size = 0;               // in floats
  std::string shape;            // what else determines how the tensors are used, as recorded in files (model/binding.h)
};

// A name in parts, on the stack: weights are visited in every update, where nothing may be allocated.
struct Path {
  const Path* above = nullptr;
  const char* part = "";
  Index number = -1;  // of a layer

  std::string text() const {
    std::string all = above == nullptr ? "" : above->text() + ".";
    return all + (number < 0 ? std::string(part) : std::to_string(number));
  }
};

}  // namespace heed
