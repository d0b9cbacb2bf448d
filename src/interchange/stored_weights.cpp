#include "interchange/stored_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/error.h"
#include "interchange/quantize_row.h"
#include "interchange/shown.h"
#include "model/parameters.h"

namespace heed::interchange {
namespace {

class Filler {
 public:
  Filler(const WeightFile& file, const Config& config, const VocabularyOrders& orders, const VocabularyRows& rows)
      : file_(file), layout_(layout_of(config)), orders_(orders), rows_(rows) {}

  StoredWeights fill(const OriginOf& origin_of) {
    weights_.values.assign(static_cast<std::size_t>(layout_.size), 0.0f);
    std::vector<TensorOrigin> origins;
    bool integers = false;
    for (const Tensor& tensor : layout_.tensors) {
      origins.push_back(origin_of(tensor.name));
      integers = integers || (is_matrix(tensor) && is_int8(origins.back().name));
    }
    if (integers) {
      weights_.integers.emplace();
      weights_.integers->values.assign(weights_.values.size(), 0);
    }
    for (std::size_t i = 0; i < origins.size(); ++i) fill_tensor(layout_.tensors[i], origins[i]);
    refuse_surplus();
    return std::move(weights_);
  }

 private:
  static constexpr Index nowhere = -1;

  static bool is_matrix(const Tensor& tensor) { return tensor.role == Role::matrix || tensor.role == Role::embedding; }
  static bool has_integers(const StoredTensor& tensor) {
    return tensor.form == StoredForm::int8 && !tensor.scales.empty();
  }
  bool is_int8(const std::string& name) const {
    const auto found = file_.tensors.find(name);
    return found != file_.tensors.end() && has_integers(found->second);
  }

  const StoredTensor* find(const TensorOrigin& origin, Index rows, Index cols) {
    const auto found = file_.tensors.find(origin.name);
    if (found == file_.tensors.end()) {
      if (origin.optional) return nullptr;
      throw Error(fmt::format("'{}': tensor '{}' is missing; fetch it again", file_.name, origin.name));
    }
    const StoredTensor& tensor = found->second;
    if (tensor.rows() != rows || tensor.cols() != cols) {
      throw Error(fmt::format("'{}': tensor '{}' is {} × {}, but the other tensors and settings make it {} × {}",
                              file_.name, origin.name, tensor.rows(), tensor.cols(), rows, cols));
    }
    used_.insert(origin.name);
    return &tensor;
  }

  void fill_tensor(const Tensor& tensor, const TensorOrigin& origin) {
    const std::vector<TokenRow>& tokens = (origin.source ? orders_.source : orders_.target).rows;
    const Index old_tokens = origin.source ? rows_.source : rows_.target;
    const auto token = [&](Index id) -> const TokenRow& { return tokens[static_cast<std::size_t>(id)]; };
    const Index rows = tensor.rows, cols = tensor.cols;
    switch (origin.use) {
      case TokenUse::none: {
        const bool stacked_vector = rows == 1 && origin.stacked_rows > 0;
        const StoredTensor* from = stacked_vector
                                       ? find(origin, 1, origin.stacked_rows)
                                       : find(origin, origin.stacked_rows > 0 ? origin.stacked_rows : rows, cols);
        const Index first = stacked_vector ? origin.first_row : origin.first_row * cols;
        return copy(tensor, from, [&](Index row, Index col) { return first + row * cols + col; });
      }
      case TokenUse::embedding: {
        const StoredTensor* from = find(origin, old_tokens, cols);
        return copy(tensor, from, [&](Index row, Index col) {
          return token(row).from == no_row ? nowhere : token(row).from * cols + col;
        });
      }
      case TokenUse::output: {
        const StoredTensor* from = find(origin, old_tokens, cols);
        return copy(tensor, from,
                    [&](Index row, Index col) { return token(row).produced ? token(row).from * cols + col : nowhere; });
      }
      case TokenUse::output_bias: {
        const StoredTensor* from = find(origin, 1, old_tokens);
        copy(tensor, from, [&](Index, Index col) { return token(col).produced ? token(col).from : nowhere; });
        for (Index id = 0; id < cols; ++id) {
          if (!token(id).produced) weights_.values[static_cast<std::size_t>(tensor.offset + id)] = never_produced;
        }
      }
    }
  }

  // place(row, col) is where the file has the number, or nowhere for 0.
  template <class Place>
  void copy(const Tensor& tensor, const StoredTensor* from, const Place& place) {
    if (from != nullptr) {
      float* to = weights_.values.data() + tensor.offset;
      for (Index row = 0; row < tensor.rows; ++row) {
        for (Index col = 0; col < tensor.cols; ++col) {
          const Index at = place(row, col);
          if (at == nowhere) continue;
          const float value = from->number(at);
          if (!std::isfinite(value)) {
            throw Error(fmt::format("'{}': '{}' holds NaN or infinity; fetch it again", file_.name, tensor.name));
          }
          to[row * tensor.cols + col] = value;
        }
      }
    }
    if (is_matrix(tensor) && weights_.integers) copy_integers(tensor, from, place);
  }

  template <class Place>
  void copy_integers(const Tensor& tensor, const StoredTensor* from, const Place& place) {
    for (Index row = 0; row < tensor.rows; ++row) {
      std::int8_t* to = weights_.integers->values.data() + tensor.offset + row * tensor.cols;
      if (from == nullptr || !has_integers(*from)) {
        const float* values = weights_.values.data() + tensor.offset + row * tensor.cols;
        weights_.integers->scales.push_back(quantize_row({values, static_cast<std::size_t>(tensor.cols)}, to));
        continue;
      }
      float scale = 0.0f;
      for (Index col = 0; col < tensor.cols; ++col) {
        const Index at = place(row, col);
        if (at == nowhere) continue;
        to[col] = from->integer(at);
        if (to[col] == -128) {
          throw Error(fmt::format("'{}': '{}' holds -128, outside of ±127; fetch it again", file_.name, tensor.name));
        }
        const std::size_t of_row = from->scales.size() == 1 ? 0 : static_cast<std::size_t>(at / from->cols());
        scale = from->reciprocals.empty() ? 1.0f / from->scales[of_row] : from->reciprocals[of_row];
      }
      weights_.integers->scales.push_back(scale);
    }
  }

  // Tensors that no part of the model uses would mean that it computes something else.
  void refuse_surplus() const {
    for (const auto& [name, tensor] : file_.tensors) {
      if (used_.contains(name) || std::find(file_.ignored.begin(), file_.ignored.end(), name) != file_.ignored.end()) {
        continue;
      }
      throw Error(
          fmt::format("'{}': tensor '{}' belongs to something that heed does not have", file_.name, shown(name)));
    }
  }

  const WeightFile& file_;
  Layout layout_;
  const VocabularyOrders& orders_;
  const VocabularyRows& rows_;
  std::set<std::string> used_;
  StoredWeights weights_;
};

}  // namespace

StoredWeights fill_weights(const WeightFile& file, const Config& config, const VocabularyOrders& orders,
                           const VocabularyRows& rows, const OriginOf& origin_of) {
  return Filler(file, config, orders, rows).fill(origin_of);
}

}  // namespace heed::interchange
