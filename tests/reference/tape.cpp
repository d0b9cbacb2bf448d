#include "reference/tape.h"

#include <algorithm>
#include <cmath>

namespace heed::reference {

Var Tape::node(int rows, int cols) {
  auto n = std::make_shared<Node>();
  n->rows = rows;
  n->cols = cols;
  n->value.assign(static_cast<std::size_t>(rows * cols), 0.0);
  n->grad.assign(static_cast<std::size_t>(rows * cols), 0.0);
  nodes_.push_back(n);
  return n;
}

Var Tape::leaf(int rows, int cols, std::vector<double> value) {
  Var n = node(rows, cols);
  n->value = std::move(value);
  return n;
}

void Tape::backward(const Var& scalar) {
  scalar->grad[0] = 1.0;
  for (auto n = nodes_.rbegin(); n != nodes_.rend(); ++n) {
    if ((*n)->backward) (*n)->backward();
  }
}

Var matmul(Tape& tape, Var a, Var b) {
  Var y = tape.node(a->rows, b->cols);
  for (int i = 0; i < a->rows; ++i)
    for (int j = 0; j < b->cols; ++j)
      for (int k = 0; k < a->cols; ++k) y->at(i, j) += a->at(i, k) * b->at(k, j);
  y->backward = [a, b, y = y.get()] {
    for (int i = 0; i < a->rows; ++i)
      for (int j = 0; j < b->cols; ++j)
        for (int k = 0; k < a->cols; ++k) {
          a->grad_at(i, k) += y->grad_at(i, j) * b->at(k, j);
          b->grad_at(k, j) += y->grad_at(i, j) * a->at(i, k);
        }
  };
  return y;
}

Var matmul_transposed(Tape& tape, Var a, Var b) {
  Var y = tape.node(a->rows, b->rows);
  for (int i = 0; i < a->rows; ++i)
    for (int j = 0; j < b->rows; ++j)
      for (int k = 0; k < a->cols; ++k) y->at(i, j) += a->at(i, k) * b->at(j, k);
  y->backward = [a, b, y = y.get()] {
    for (int i = 0; i < a->rows; ++i)
      for (int j = 0; j < b->rows; ++j)
        for (int k = 0; k < a->cols; ++k) {
          a->grad_at(i, k) += y->grad_at(i, j) * b->at(j, k);
          b->grad_at(j, k) += y->grad_at(i, j) * a->at(i, k);
        }
  };
  return y;
}

Var add(Tape& tape, Var a, Var b) {
  Var y = tape.node(a->rows, a->cols);
  for (std::size_t i = 0; i < y->value.size(); ++i) y->value[i] = a->value[i] + b->value[i];
  y->backward = [a, b, y = y.get()] {
    for (std::size_t i = 0; i < y->grad.size(); ++i) {
      a->grad[i] += y->grad[i];
      b->grad[i] += y->grad[i];
    }
  };
  return y;
}

Var add_row(Tape& tape, Var a, Var row) {
  Var y = tape.node(a->rows, a->cols);
  for (int i = 0; i < a->rows; ++i)
    for (int j = 0; j < a->cols; ++j) y->at(i, j) = a->at(i, j) + row->at(0, j);
  y->backward = [a, row, y = y.get()] {
    for (int i = 0; i < a->rows; ++i)
      for (int j = 0; j < a->cols; ++j) {
        a->grad_at(i, j) += y->grad_at(i, j);
        row->grad_at(0, j) += y->grad_at(i, j);
      }
  };
  return y;
}

Var scale(Tape& tape, Var a, double factor) { return multiply(tape, a, std::vector<double>(a->value.size(), factor)); }

Var multiply(Tape& tape, Var a, std::vector<double> factors) {
  Var y = tape.node(a->rows, a->cols);
  for (std::size_t i = 0; i < y->value.size(); ++i) y->value[i] = a->value[i] * factors[i];
  y->backward = [a, factors = std::move(factors), y = y.get()] {
    for (std::size_t i = 0; i < y->grad.size(); ++i) a->grad[i] += y->grad[i] * factors[i];
  };
  return y;
}

Var product(Tape& tape, Var a, Var b) {
  Var y = tape.node(a->rows, a->cols);
  for (std::size_t i = 0; i < y->value.size(); ++i) y->value[i] = a->value[i] * b->value[i];
  y->backward = [a, b, y = y.get()] {
    for (std::size_t i = 0; i < y->grad.size(); ++i) {
      a->grad[i] += y->grad[i] * b->value[i];
      b->grad[i] += y->grad[i] * a->value[i];
    }
  };
  return y;
}

Var map(Tape& tape, Var a, double (*f)(double), double (*df)(double)) {
  Var y = tape.node(a->rows, a->cols);
  for (std::size_t i = 0; i < y->value.size(); ++i) y->value[i] = f(a->value[i]);
  y->backward = [a, df, y = y.get()] {
    for (std::size_t i = 0; i < y->grad.size(); ++i) a->grad[i] += y->grad[i] * df(a->value[i]);
  };
  return y;
}

Var softmax_rows(Tape& tape, Var a, const Mask& mask) {
  Var y = tape.node(a->rows, a->cols);
  for (int i = 0; i < a->rows; ++i) {
    std::vector<int> seen;
    for (int j = 0; j < a->cols; ++j) {
      if (!mask || mask(i, j)) seen.push_back(j);
    }
    double largest = a->at(i, seen.front());
    for (const int j : seen) largest = std::max(largest, a->at(i, j));
    double sum = 0.0;
    for (const int j : seen) sum += std::exp(a->at(i, j) - largest);
    for (const int j : seen) y->at(i, j) = std::exp(a->at(i, j) - largest) / sum;
  }
  y->backward = [a, y = y.get()] {
    for (int i = 0; i < a->rows; ++i) {
      double mean = 0.0;
      for (int j = 0; j < a->cols; ++j) mean += y->grad_at(i, j) * y->at(i, j);
      for (int j = 0; j < a->cols; ++j) a->grad_at(i, j) += y->at(i, j) * (y->grad_at(i, j) - mean);
    }
  };
  return y;
}

Var layer_norm(Tape& tape, Var a, Var gain, Var bias, double epsilon) {
  Var y = tape.node(a->rows, a->cols);
  const auto normalised = std::make_shared<Node>(*y);
  const auto inverse = std::make_shared<std::vector<double>>();
  for (int i = 0; i < a->rows; ++i) {
    double mean = 0.0;
    for (int j = 0; j < a->cols; ++j) mean += a->at(i, j) / a->cols;
    double variance = 0.0;
    for (int j = 0; j < a->cols; ++j) variance += (a->at(i, j) - mean) * (a->at(i, j) - mean) / a->cols;
    inverse->push_back(1.0 / std::sqrt(variance + epsilon));
    for (int j = 0; j < a->cols; ++j) {
      normalised->at(i, j) = (a->at(i, j) - mean) * inverse->back();
      y->at(i, j) = normalised->at(i, j) * gain->at(0, j) + bias->at(0, j);
    }
  }
  y->backward = [a, gain, bias, normalised, inverse, y = y.get()] {
    for (int i = 0; i < a->rows; ++i) {
      double mean = 0.0;
      double mean_normalised = 0.0;
      for (int j = 0; j < a->cols; ++j) {
        const double g = y->grad_at(i, j) * gain->at(0, j);
        mean += g / a->cols;
        mean_normalised += g * normalised->at(i, j) / a->cols;
        gain->grad_at(0, j) += y->grad_at(i, j) * normalised->at(i, j);
        bias->grad_at(0, j) += y->grad_at(i, j);
      }
      for (int j = 0; j < a->cols; ++j) {
        const double g = y->grad_at(i, j) * gain->at(0, j);
        a->grad_at(i, j) +=
            (g - mean - normalised->at(i, j) * mean_normalised) * (*inverse)[static_cast<std::size_t>(i)];
      }
    }
  };
  return y;
}

Var columns(Tape& tape, Var a, int first, int count) {
  Var y = tape.node(a->rows, count);
  for (int i = 0; i < a->rows; ++i)
    for (int j = 0; j < count; ++j) y->at(i, j) = a->at(i, first + j);
  y->backward = [a, first, y = y.get()] {
    for (int i = 0; i < y->rows; ++i)
      for (int j = 0; j < y->cols; ++j) a->grad_at(i, first + j) += y->grad_at(i, j);
  };
  return y;
}

Var join_columns(Tape& tape, const std::vector<Var>& parts) {
  int cols = 0;
  for (const Var& part : parts) cols += part->cols;
  Var y = tape.node(parts.front()->rows, cols);
  int first = 0;
  for (const Var& part : parts) {
    for (int i = 0; i < part->rows; ++i)
      for (int j = 0; j < part->cols; ++j) y->at(i, first + j) = part->at(i, j);
    first += part->cols;
  }
  y->backward = [parts, y = y.get()] {
    int from = 0;
    for (const Var& part : parts) {
      for (int i = 0; i < part->rows; ++i)
        for (int j = 0; j < part->cols; ++j) part->grad_at(i, j) += y->grad_at(i, from + j);
      from += part->cols;
    }
  };
  return y;
}

Var join_rows(Tape& tape, const std::vector<Var>& parts) {
  int rows = 0;
  for (const Var& part : parts) rows += part->rows;
  Var y = tape.node(rows, parts.front()->cols);
  std::size_t first = 0;
  for (const Var& part : parts) {
    for (std::size_t i = 0; i < part->value.size(); ++i) y->value[first + i] = part->value[i];
    first += part->value.size();
  }
  y->backward = [parts, y = y.get()] {
    std::size_t from = 0;
    for (const Var& part : parts) {
      for (std::size_t i = 0; i < part->grad.size(); ++i) part->grad[i] += y->grad[from + i];
      from += part->grad.size();
    }
  };
  return y;
}

Var pick_rows(Tape& tape, Var table, const std::vector<int>& rows) {
  Var y = tape.node(static_cast<int>(rows.size()), table->cols);
  for (int i = 0; i < y->rows; ++i) {
    const int row = rows[static_cast<std::size_t>(i)];
    for (int j = 0; j < y->cols && row >= 0; ++j) y->at(i, j) = table->at(row, j);
  }
  y->backward = [table, rows, y = y.get()] {
    for (int i = 0; i < y->rows; ++i) {
      const int row = rows[static_cast<std::size_t>(i)];
      for (int j = 0; j < y->cols && row >= 0; ++j) table->grad_at(row, j) += y->grad_at(i, j);
    }
  };
  return y;
}

Var cross_entropy(Tape& tape, Var logits, const std::vector<int>& labels, double smoothing, double& plain) {
  Var probabilities = softmax_rows(tape, logits, {});
  Var y = tape.node(1, 1);
  const int vocabulary = logits->cols;
  const auto target = [=](int i, int j) {
    return (j == labels[static_cast<std::size_t>(i)] ? 1.0 - smoothing : 0.0) + smoothing / vocabulary;
  };
  plain = 0.0;
  for (int i = 0; i < logits->rows; ++i) {
    plain -= std::log(probabilities->at(i, labels[static_cast<std::size_t>(i)]));
    for (int j = 0; j < vocabulary; ++j) y->at(0, 0) -= target(i, j) * std::log(probabilities->at(i, j));
  }
  y->backward = [probabilities, target, y = y.get()] {
    for (int i = 0; i < probabilities->rows; ++i)
      for (int j = 0; j < probabilities->cols; ++j)
        probabilities->grad_at(i, j) -= y->grad_at(0, 0) * target(i, j) / probabilities->at(i, j);
  };
  return y;
}

}  // namespace heed::reference
