// Matrices of doubles that record how they were computed, so that gradients follow from the chain rule.
//
// Slow and obvious on purpose: every operation is a few plain loops, one for the value and one for the gradient.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace heed::reference {

struct Node {
  int rows = 0;
  int cols = 0;
  std::vector<double> value;
  std::vector<double> grad;
  std::function<void()> backward;  // adds to the gradients of this node's inputs

  double& at(int i, int j) { return value[static_cast<std::size_t>(i * cols + j)]; }
  double& grad_at(int i, int j) { return grad[static_cast<std::size_t>(i * cols + j)]; }
};

using Var = std::shared_ptr<Node>;

class Tape {
 public:
  Var leaf(int rows, int cols, std::vector<double> value);
  Var node(int rows, int cols);

  // Sets the gradient of `scalar` to 1 and runs every backward step from the last node to the first.
  void backward(const Var& scalar);

 private:
  std::vector<Var> nodes_;
};

Var matmul(Tape& tape, Var a, Var b);             // a · b
Var matmul_transposed(Tape& tape, Var a, Var b);  // a · bᵀ
Var add(Tape& tape, Var a, Var b);
Var add_row(Tape& tape, Var a, Var row);  // adds the row to every row
Var scale(Tape& tape, Var a, double factor);
Var multiply(Tape& tape, Var a, std::vector<double> factors);  // by constants, element by element
Var product(Tape& tape, Var a, Var b);                         // element by element
Var map(Tape& tape, Var a, double (*f)(double), double (*df)(double));
// Whether row i includes column j; empty: all of them.
using Mask = std::function<bool(int i, int j)>;
Var softmax_rows(Tape& tape, Var a, const Mask& mask);
Var layer_norm(Tape& tape, Var a, Var gain, Var bias, double epsilon);
Var columns(Tape& tape, Var a, int first, int count);
Var join_columns(Tape& tape, const std::vector<Var>& parts);
Var join_rows(Tape& tape, const std::vector<Var>& parts);
Var pick_rows(Tape& tape, Var table, const std::vector<int>& rows);  // a negative row is zero
// Label-smoothed cross-entropy, summed over the rows; also returns the sum of −log p(label) in `plain`.
Var cross_entropy(Tape& tape, Var logits, const std::vector<int>& labels, double smoothing, double& plain);

}  // namespace heed::reference
