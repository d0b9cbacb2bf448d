#include "bench/floor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>

#include "base/pages.h"
#include "bench/clock.h"
#include "layers/loss.h"
#include "layers/product.h"
#include "model/parameters.h"

namespace heed::bench {
namespace {

constexpr int runs_per_product = 5;

// Operands of one product in three copies, used in turn: in a training step they come from memory, too.
class Operands {
 public:
  explicit Operands(const LinearProduct& p) : p_(p) {
    for (Copy& copy : copies_) {
      copy.x = random_rows(p.rows, p.in, copy.memory[0]);
      copy.y = random_rows(p.rows, p.out, copy.memory[1]);
      copy.memory[2] = Pages(sizeof(float) * static_cast<std::size_t>(p.in * p.out));
      copy.weight = Matrix<float>(copy.memory[2].floats(), p.out, p.in);
      fill(copy.weight);
      const Index width = kernels::panel_width();
      copy.memory[3] = Pages(sizeof(float) * static_cast<std::size_t>(kernels::panels_size(p.in, p.out, width)));
      copy.memory[4] = Pages(sizeof(float) * static_cast<std::size_t>(kernels::panels_size(p.out, p.in, width)));
      kernels::pack_panels_transposed(copy.weight, width, copy.memory[3].floats());
      kernels::pack_panels(copy.weight, 0, p.out, width, copy.memory[4].floats());
    }
  }

  void ours(int copy_index, const Workspace& workspace) const {
    const Copy& copy = copies_[static_cast<std::size_t>(copy_index) % copies_.size()];
    switch (p_.direction) {
      case Direction::forward:
        return compute(Product{kernels::left_rows(copy.x), kernels::right_panels(copy.memory[3].floats(), p_.in), p_.in,
                               copy.y, kernels::Start::zero},
                       workspace);
      case Direction::input_gradient:
        return compute(Product{kernels::left_rows(copy.y), kernels::right_panels(copy.memory[4].floats(), p_.out),
                               p_.out, copy.x, kernels::Start::zero},
                       workspace);
      case Direction::weight_gradient: {
        const Arena::Scope scope(workspace.arena);
        const PackedPair packed(copy.y, copy.x, workspace.arena);
        workspace.threads.run(packed.strips(), [&](Index strip, int) noexcept { packed.pack(strip); });
        return compute(packed.product(copy.weight, kernels::Start::add), workspace);
      }
    }
  }

  // Rows [first, last) of the result.
  void onednn(int copy_index, const OneDnn& library, Index first, Index last) const {
    const Copy& c = copies_[static_cast<std::size_t>(copy_index) % copies_.size()];
    const Index rows = last - first;
    switch (p_.direction) {
      case Direction::forward:
        return library.multiply(false, true, rows, p_.out, p_.in, c.x.row(first), c.x.stride, c.weight.data, p_.in,
                                false, c.y.row(first), c.y.stride);
      case Direction::input_gradient:
        return library.multiply(false, false, rows, p_.in, p_.out, c.y.row(first), c.y.stride, c.weight.data, p_.in,
                                false, c.x.row(first), c.x.stride);
      case Direction::weight_gradient:
        return library.multiply(true, false, rows, p_.in, p_.rows, c.y.data + first, c.y.stride, c.x.data, c.x.stride,
                                true, c.weight.row(first), p_.in);
    }
  }

  Index result_rows() const { return p_.direction == Direction::weight_gradient ? p_.out : p_.rows; }

 private:
  struct Copy {
    std::array<Pages, 5> memory;
    Matrix<float> x, y, weight;
  };

  // Numbers of ordinary size: zeros or denormals would say nothing about speed.
  static void fill(Matrix<float> m) {
    for (Index i = 0; i < m.rows; ++i) {
      float* row = m.row(i);
      const auto start = static_cast<std::uint32_t>(i) * 40503u;
      for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(m.cols); ++j) {
        row[j] = static_cast<float>(static_cast<int>((start + j * 2654435761u) >> 26) - 32) / 64.0f;
      }
    }
  }

  // Rows with the stride that the arena gives them.
  static Matrix<float> random_rows(Index rows, Index cols, Pages& memory) {
    const Index stride = Arena::row_stride(cols);
    memory = Pages(sizeof(float) * static_cast<std::size_t>(rows * stride));
    const Matrix<float> m(memory.floats(), rows, cols, stride);
    fill(m);
    return m;
  }

  LinearProduct p_;
  std::array<Copy, 3> copies_;
};

void add_layer(std::vector<LinearProduct>& products, const Linear& layer, Index rows, Index times) {
  for (const Direction direction : {Direction::forward, Direction::input_gradient, Direction::weight_gradient}) {
    const LinearProduct p{direction, rows, layer.weight.cols, layer.weight.rows, times};
    const auto same = std::find_if(products.begin(), products.end(), [&](const LinearProduct& q) {
      return q.direction == p.direction && q.rows == p.rows && q.in == p.in && q.out == p.out;
    });
    if (same != products.end()) {
      same->count += times;
    } else {
      products.push_back(p);
    }
  }
}

}  // namespace

namespace {

// Adds the products of every linear layer of a stack.
class CollectProducts {
 public:
  CollectProducts(std::vector<LinearProduct>& products, Index rows, Index memory_rows)
      : products_(products), rows_(rows), memory_rows_(memory_rows) {}

  void linear(const Path&, Linear& layer, const LinearParts& l) {
    add_layer(products_, layer, l.of_memory ? memory_rows_ : rows_, 1);
  }
  void vector(const Path&, const char*, Matrix<float>&, Index, Index, Initial) {}

 private:
  std::vector<LinearProduct>& products_;
  Index rows_;
  Index memory_rows_;
};

}  // namespace

std::vector<LinearProduct> products_of_step(const Config& config, Index source_tokens, Index target_tokens) {
  Parameters p = bind_parameters(config, nullptr);
  std::vector<LinearProduct> products;
  CollectProducts encoder(products, source_tokens, 0);
  CollectProducts decoder(products, target_tokens, source_tokens);
  visit_stack(p.encoder, "encoder", config.d_ff, false, encoder);
  visit_stack(p.decoder, "decoder", config.decoder_width(), false, decoder);
  if (target_tokens >= logits_at_a_time)
    add_layer(products, p.output, logits_at_a_time, target_tokens / logits_at_a_time);
  if (target_tokens % logits_at_a_time != 0) add_layer(products, p.output, target_tokens % logits_at_a_time, 1);
  return products;
}

double ProductTimes::best() const { return std::min({ours, onednn, onednn_workers}); }

ProductTimes time_product(const LinearProduct& product, const OneDnn& library, const Workspace& workspace) {
  const Operands operands(product);
  const int threads = workspace.threads.threads();
  const Index rows = operands.result_rows();
  std::vector<double> ours;
  std::vector<double> onednn;
  std::vector<double> workers;
  for (int i = 0; i < runs_per_product; ++i) {
    ours.push_back(seconds_of([&] { operands.ours(i, workspace); }));
    if (!library.available()) continue;
    library.set_threads(threads);
    onednn.push_back(seconds_of([&] { operands.onednn(i, library, 0, rows); }));
    if (threads == 1) continue;
    // OpenMP's threads spin for a moment after their work; do not measure against them.
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    workers.push_back(seconds_of([&] {
      workspace.threads.run(threads, [&](Index part, int) noexcept {
        library.set_threads(1);
        operands.onednn(i, library, rows * part / threads, rows * (part + 1) / threads);
      });
    }));
  }
  constexpr double never = std::numeric_limits<double>::infinity();
  return {median(ours), onednn.empty() ? never : median(onednn), workers.empty() ? never : median(workers)};
}

}  // namespace heed::bench
