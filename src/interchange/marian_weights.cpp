#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "heed/error.h"
#include "interchange/marian_model.h"
#include "interchange/quantize_row.h"
#include "interchange/shown.h"
#include "model/parameters.h"

namespace heed::interchange {
namespace {

// How a tensor of Marian's becomes one of heed's.
enum class Form {
  vector,
  matrix,      // Marian keeps (in, out), heed (out, in)
  table,       // positions
  embedding,   // rows by token
  output,      // likewise; ids that Marian does not have are zeros
  old_output,  // the same, stored (in, out)
  output_bias
};

struct Origin {
  std::string name;
  Form form = Form::vector;
  const TokenOrder* order = nullptr;  // of those with tokens
};

// Sub-layers' tensors: heed's name, and what follows "encoder_l1_" or "decoder_l1_" in Marian.
constexpr std::pair<std::string_view, std::string_view> layer_names[] = {
    {"self_attention.query.weight", "self_Wq"},
    {"self_attention.query.bias", "self_bq"},
    {"self_attention.key.weight", "self_Wk"},
    {"self_attention.key.bias", "self_bk"},
    {"self_attention.value.weight", "self_Wv"},
    {"self_attention.value.bias", "self_bv"},
    {"self_attention.output.weight", "self_Wo"},
    {"self_attention.output.bias", "self_bo"},
    {"self_attention.norm.gain", "self_Wo_ln_scale"},
    {"self_attention.norm.bias", "self_Wo_ln_bias"},
    {"mixer.candidate.weight", "rnn_W"},
    {"mixer.forget.weight", "rnn_Wf"},
    {"mixer.forget.bias", "rnn_bf"},
    {"mixer.norm.gain", "rnn_ffn_ln_scale"},
    {"mixer.norm.bias", "rnn_ffn_ln_bias"},
    {"encoder_attention.query.weight", "context_Wq"},
    {"encoder_attention.query.bias", "context_bq"},
    {"encoder_attention.key.weight", "context_Wk"},
    {"encoder_attention.key.bias", "context_bk"},
    {"encoder_attention.value.weight", "context_Wv"},
    {"encoder_attention.value.bias", "context_bv"},
    {"encoder_attention.output.weight", "context_Wo"},
    {"encoder_attention.output.bias", "context_bo"},
    {"encoder_attention.norm.gain", "context_Wo_ln_scale"},
    {"encoder_attention.norm.bias", "context_Wo_ln_bias"},
    {"feed_forward.inner.weight", "ffn_W1"},
    {"feed_forward.inner.bias", "ffn_b1"},
    {"feed_forward.outer.weight", "ffn_W2"},
    {"feed_forward.outer.bias", "ffn_b2"},
    {"feed_forward.norm.gain", "ffn_ffn_ln_scale"},
    {"feed_forward.norm.bias", "ffn_ffn_ln_bias"}};

// Takes the text up to the next dot.
std::string_view next_part(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

class Filler {
 public:
  Filler(const MarianFile& file, const Config& config, const VocabularyOrders& orders)
      : file_(file), config_(config), orders_(orders), decoder_layers_(marian_decoder_layers(file)) {
    const auto quantised = [](const auto& entry) { return entry.second.type == MarianType::intgemm8; };
    if (std::any_of(file.tensors.begin(), file.tensors.end(), quantised)) weights_.integers.emplace();
  }

  MarianWeights fill() {
    const Layout layout = layout_of(config_);
    // Before room is made for all of them.
    for (const Tensor& tensor : layout.tensors) check_tensor(tensor);
    refuse_surplus();
    weights_.values.assign(static_cast<std::size_t>(layout.size), 0.0f);
    if (weights_.integers) weights_.integers->values.assign(weights_.values.size(), 0);
    for (const Tensor& tensor : layout.tensors) fill_tensor(tensor);
    return std::move(weights_);
  }

 private:
  Origin origin_of(const std::string& tensor) const {
    if (tensor == "embedding.weight") return {"Wemb", Form::embedding, &orders_.source};
    if (tensor == "source_embedding.weight") return {"encoder_Wemb", Form::embedding, &orders_.source};
    if (tensor == "target_embedding.weight") return {"decoder_Wemb", Form::embedding, &orders_.target};
    if (tensor == "output.bias") return {"decoder_ff_logit_out_b", Form::output_bias, &orders_.target};
    if (tensor == "output.weight") {
      const bool old = file_.find("decoder_ff_logit_out_Wt") == nullptr;
      return {old ? "decoder_ff_logit_out_W" : "decoder_ff_logit_out_Wt", old ? Form::old_output : Form::output,
              &orders_.target};
    }
    if (tensor == "source_positions.weight" || tensor == "target_positions.weight") return {"Wpos", Form::table};
    if (tensor == "source_embedding.norm.gain") return {"encoder_emb_ln_scale_pre"};
    if (tensor == "source_embedding.norm.bias") return {"encoder_emb_ln_bias_pre"};
    if (tensor == "target_embedding.norm.gain") return {"decoder_emb_ln_scale_pre"};
    if (tensor == "target_embedding.norm.bias") return {"decoder_emb_ln_bias_pre"};
    return origin_in_stack(tensor);
  }

  Origin origin_in_stack(std::string_view rest) const {
    const std::string stack(next_part(rest));
    if (rest == "norm.gain") return {stack + "_top_ln_scale"};
    if (rest == "norm.bias") return {stack + "_top_ln_bias"};
    Index layer = std::stol(std::string(next_part(rest))) + 1;
    if (stack == "decoder") layer = decoder_layers_[static_cast<std::size_t>(layer - 1)];
    const auto* found = std::find_if(std::begin(layer_names), std::end(layer_names),
                                     [&](const auto& names) { return names.first == rest; });
    std::string name(found->second);
    if (rest.find("norm.") != std::string_view::npos && config_.norm == Norm::before) {
      // Of this one norm the name depends on where it stands.
      if (name.starts_with("rnn_ffn_")) name.erase(4, 4);
      name += "_pre";
    }
    return {fmt::format("{}_l{}_{}", stack, layer, name), rest.ends_with(".weight") ? Form::matrix : Form::vector};
  }

  // The tensor must be there, with the shape that heed's has in Marian's form. Only the output bias may be missing.
  void check_tensor(const Tensor& tensor) {
    const Origin origin = origin_of(tensor.name);
    const MarianTensor* found = file_.find(origin.name);
    if (found == nullptr && origin.form == Form::output_bias) return;
    if (found == nullptr) {
      throw Error(fmt::format("'{}': tensor '{}' is missing; fetch it again", file_.name, origin.name));
    }
    const bool transposed = origin.form == Form::matrix || origin.form == Form::old_output;
    const bool bias = origin.form == Form::output_bias;
    const Index rows = origin.order == nullptr || bias ? tensor.rows : old_rows(origin);
    const Index cols = bias ? old_rows(origin) : tensor.cols;
    const Index wanted_rows = transposed ? cols : rows, wanted_cols = transposed ? rows : cols;
    if (found->rows != wanted_rows || found->cols != wanted_cols) {
      throw Error(fmt::format("'{}': tensor '{}' is {} × {}, but its settings make it {} × {}", file_.name, origin.name,
                              found->rows, found->cols, wanted_rows, wanted_cols));
    }
    used_.insert(origin.name);
  }

  void fill_tensor(const Tensor& tensor) {
    const Origin origin = origin_of(tensor.name);
    const MarianTensor* found = file_.find(origin.name);
    if (origin.form == Form::output_bias) return copy_output_bias(tensor, origin, found);
    const MarianTensor& from = *found;
    switch (origin.form) {
      case Form::matrix: return copy(tensor, from, [&](Index row, Index col) { return from.at(col, row); });
      case Form::embedding:
        return copy(tensor, from, [&](Index row, Index col) {
          const Index old = row_of(origin, row).from;
          return old == no_row ? nowhere : from.at(old, col);
        });
      case Form::output:
      case Form::old_output:
        return copy(tensor, from, [&](Index row, Index col) {
          const TokenRow& token = row_of(origin, row);
          if (!token.produced) return nowhere;
          return origin.form == Form::old_output ? from.at(col, token.from) : from.at(token.from, col);
        });
      default: return copy(tensor, from, [&](Index row, Index col) { return from.at(row, col); });
    }
  }

  // Without a bias it is 0.
  void copy_output_bias(const Tensor& tensor, const Origin& origin, const MarianTensor* from) {
    for (Index id = 0; id < tensor.cols; ++id) {
      const TokenRow& token = row_of(origin, id);
      float& value = weights_.values[static_cast<std::size_t>(tensor.offset + id)];
      if (!token.produced) {
        value = never_produced;
      } else if (from != nullptr) {
        value = from->number(from->at(0, token.from));
      }
      check_finite(value, origin.name);
    }
  }

  static const TokenRow& row_of(const Origin& origin, Index id) {
    return origin.order->rows[static_cast<std::size_t>(id)];
  }
  // The rows of Marian's matrices of this vocabulary.
  Index old_rows(const Origin& origin) const {
    const VocabularyRows rows = vocabulary_rows(file_);
    return origin.order == &orders_.source ? rows.source : rows.target;
  }

  void check_finite(float value, const std::string& name) const {
    if (!std::isfinite(value)) {
      throw Error(fmt::format("'{}': tensor '{}' holds NaN or infinity; fetch it again", file_.name, name));
    }
  }

  // place(row, col) is where Marian has the number, or nowhere for 0.
  template <class Place>
  void copy(const Tensor& tensor, const MarianTensor& from, const Place& place) {
    float* to = weights_.values.data() + tensor.offset;
    for (Index row = 0; row < tensor.rows; ++row) {
      for (Index col = 0; col < tensor.cols; ++col) {
        const Index at = place(row, col);
        if (at == nowhere) continue;
        to[row * tensor.cols + col] = from.number(at);
        check_finite(from.number(at), tensor.name);
      }
    }
    const bool matrix = tensor.role == Role::matrix || tensor.role == Role::embedding;
    if (!matrix || !weights_.integers) return;
    if (from.type == MarianType::intgemm8) {
      copy_integers(tensor, from, place);
    } else {
      quantize_rows(tensor);
    }
  }

  template <class Place>
  void copy_integers(const Tensor& tensor, const MarianTensor& from, const Place& place) {
    std::int8_t* to = weights_.integers->values.data() + tensor.offset;
    for (Index row = 0; row < tensor.rows; ++row) {
      for (Index col = 0; col < tensor.cols; ++col) {
        const Index at = place(row, col);
        if (at == nowhere) continue;
        const std::int8_t integer = from.integer(at);
        if (integer == -128) {
          throw Error(
              fmt::format("'{}': '{}' holds -128, which intgemm8 never does; fetch it again", file_.name, tensor.name));
        }
        to[row * tensor.cols + col] = integer;
      }
      weights_.integers->scales.push_back(1.0f / from.multiplier);
    }
  }

  // A matrix that the file keeps in f32 beside others in integers.
  void quantize_rows(const Tensor& tensor) {
    for (Index row = 0; row < tensor.rows; ++row) {
      const Index at = tensor.offset + row * tensor.cols;
      const std::span<const float> from(weights_.values.data() + at, static_cast<std::size_t>(tensor.cols));
      weights_.integers->scales.push_back(quantize_row(from, weights_.integers->values.data() + at));
    }
  }

  // Other programs' tensors that no part of the model uses would mean that it computes something else.
  void refuse_surplus() const {
    for (const auto& [name, tensor] : file_.tensors) {
      // Scales of activations, which heed finds row by row.
      if (name.ends_with("_QuantMultA") || used_.contains(name)) continue;
      throw Error(
          fmt::format("'{}': tensor '{}' belongs to something that heed does not have", file_.name, shown(name)));
    }
  }

  static constexpr Index nowhere = -1;

  const MarianFile& file_;
  const Config& config_;
  const VocabularyOrders& orders_;
  std::vector<Index> decoder_layers_;
  std::set<std::string> used_;
  MarianWeights weights_;
};

}  // namespace

MarianWeights marian_weights(const MarianFile& file, const Config& config, const VocabularyOrders& orders) {
  return Filler(file, config, orders).fill();
}

}  // namespace heed::interchange
