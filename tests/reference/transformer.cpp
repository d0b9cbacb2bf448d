#include "reference/transformer.h"

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "model/parameters.h"
#include "model/sites.h"
#include "reference/tape.h"

namespace heed::reference {
namespace {

double relu(double x) { return x > 0.0 ? x : 0.0; }
double relu_slope(double x) { return x > 0.0 ? 1.0 : 0.0; }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double sigmoid_slope(double x) { return sigmoid(x) * (1.0 - sigmoid(x)); }
double swish(double x) { return x * sigmoid(x); }
double swish_slope(double x) { return sigmoid(x) + x * sigmoid(x) * (1.0 - sigmoid(x)); }
double normal_cdf(double x) { return 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2)); }
double gelu(double x) { return x * normal_cdf(x); }
double gelu_slope(double x) { return normal_cdf(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }

double tanh_gate(double x) { return std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x); }
double gelu_tanh(double x) { return 0.5 * x * (1.0 + std::tanh(tanh_gate(x))); }
double gelu_tanh_slope(double x) {
  const double t = std::tanh(tanh_gate(x));
  return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * std::sqrt(2.0 / std::numbers::pi) * (1.0 + 3.0 * 0.044715 * x * x);
}
double gelu_sigmoid(double x) { return x * sigmoid(1.702 * x); }
double gelu_sigmoid_slope(double x) {
  const double s = sigmoid(1.702 * x);
  return s + 1.702 * x * s * (1.0 - s);
}

int site_of(int first, Index layer, int sublayer) {
  return first + sites_per_layer * static_cast<int>(layer) + sublayer;
}

// Which keys a query of a mixer sees.
Mask sight_of(const MixerShape& shape) {
  const bool past = shape.sight == Sight::past;
  const bool restricted = shape.kind == MixerKind::window;
  return [=, w = shape.window, g = shape.globals](int i, int j) {
    if (past && j > i) return false;
    if (!restricted || j < g) return true;
    return past ? i - w < j : std::abs(i - j) <= w || i < g;
  };
}

class Model {
 public:
  Model(const Config& config, const Tensors& parameters, const Dropout& dropout) : c_(config), dropout_(dropout) {
    for (const Tensor& tensor : list_tensors(config)) {
      leaves_[tensor.name] =
          tape_.leaf(static_cast<int>(tensor.rows), static_cast<int>(tensor.cols), parameters.at(tensor.name));
    }
  }

  Result run(const Batch& batch) {
    Result result;
    Var total = tape_.leaf(1, 1, {0.0});
    for (Index s = 0; s < batch.source.sentences(); ++s) {
      sentence_ = s;
      maps_.clear();
      const std::vector<int> target = sentence(batch.target, s);
      Var memory = encode(sentence(batch.source, s));
      Var logits = project(decode(shifted(target), memory), "output", name_of_output());
      double plain = 0.0;
      total = add(tape_, total, cross_entropy(tape_, logits, target, static_cast<double>(c_.label_smoothing), plain));
      result.plain += plain;
      result.logits.insert(result.logits.end(), logits->value.begin(), logits->value.end());
    }
    tape_.backward(total);
    result.smoothed = total->at(0, 0);
    result.attention = std::move(maps_);
    for (const auto& [name, leaf] : leaves_) result.gradient[name] = leaf->grad;
    return result;
  }

 private:
  static std::vector<int> sentence(const Ragged& side, Index s) {
    const auto i = static_cast<std::size_t>(s);
    return {side.tokens.begin() + side.offsets[i], side.tokens.begin() + side.offsets[i + 1]};
  }

  std::vector<int> shifted(const std::vector<int>& target) const {
    std::vector<int> input{c_.start == StartFrom::token ? start_token : -1};
    input.insert(input.end(), target.begin(), target.end() - 1);
    return input;
  }

  std::string name_of_output() const {
    if (c_.tie == Tie::all) return "embedding.weight";
    return c_.tie == Tie::target ? "target_embedding.weight" : "output.weight";
  }

  bool has_final_norm() const { return c_.norm == Norm::before || c_.final_norm; }

  // x Wᵀ + b, the bias only if there is one.
  Var project(Var x, const std::string& name) { return project(x, name, name + ".weight"); }
  Var project(Var x, const std::string& name, const std::string& weight) {
    Var y = matmul_transposed(tape_, x, leaves_.at(weight));
    const auto bias = leaves_.find(name + ".bias");
    return bias == leaves_.end() ? y : add_row(tape_, y, bias->second);
  }

  Var norm(Var x, const std::string& name) {
    return layer_norm(tape_, x, leaves_.at(name + ".gain"), leaves_.at(name + ".bias"),
                      static_cast<double>(c_.layer_norm_epsilon));
  }

  Var drop(Var x, int site) {
    const kernels::DropoutRate rate = dropout_.kernel_rate();
    if (rate.threshold == 0) return x;
    std::vector<double> factors;
    const auto ordinal = static_cast<std::uint64_t>(dropout_.first_sentence + sentence_);
    const std::uint64_t here = random_key(random_key(dropout_.update_key, ordinal), static_cast<std::uint64_t>(site));
    for (int i = 0; i < x->rows; ++i) {
      const std::uint64_t row = random_key(here, static_cast<std::uint64_t>(i));
      for (int j = 0; j < x->cols; ++j) {
        const bool keep = dropout_keeps(row, static_cast<std::uint32_t>(j), rate.threshold);
        factors.push_back(keep ? 65536.0 / (65536.0 - rate.threshold) : 0.0);
      }
    }
    return multiply(tape_, x, factors);
  }

  double position(int pos, int channel) const {
    const int d = static_cast<int>(c_.d_model);
    if (c_.positions == Positions::sinusoidal) {
      const double angle = pos / std::pow(10000.0, 2.0 * (channel / 2) / d);
      return channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    const double i = channel % (d / 2);
    const double exponent = c_.positions == Positions::halves ? i / std::max(d / 2.0 - 1.0, 1.0) : 2.0 * i / d;
    const double angle = pos * std::pow(10000.0, -exponent);
    return channel < d / 2 ? std::sin(angle) : std::cos(angle);
  }

  Var embed(const std::vector<int>& tokens, const std::string& side, int site) {
    const int d = static_cast<int>(c_.d_model);
    const int start = static_cast<int>(c_.position_start);
    const bool shared = c_.tie == Tie::all || c_.tie == Tie::embeddings;
    Var x = pick_rows(tape_, leaves_.at(shared ? "embedding.weight" : side + "_embedding.weight"), tokens);
    if (c_.embedding_scale == EmbeddingScale::root) x = scale(tape_, x, std::sqrt(static_cast<double>(d)));
    const int length = static_cast<int>(tokens.size());
    if (c_.positions == Positions::learned) {
      std::vector<int> rows;
      for (int i = 0; i < length; ++i) rows.push_back(start + i);
      x = add(tape_, x, pick_rows(tape_, leaves_.at(side + "_positions.weight"), rows));
    } else if (c_.positions != Positions::none) {
      std::vector<double> table_values;
      for (int i = 0; i < length; ++i)
        for (int j = 0; j < d; ++j) table_values.push_back(position(start + i, j));
      x = add(tape_, x, tape_.leaf(length, d, table_values));
    }
    if (c_.embedding_norm) x = norm(x, side + "_embedding.norm");
    return drop(x, site);
  }

  Var attention(Var x, Var memory, const std::string& name, const Mask& mask) {
    const AttentionShape shape = c_.attention_shape();
    Var query = project(x, name + "query");
    Var key = project(memory, name + "key");
    Var value = project(memory, name + "value");
    std::vector<Var> heads;
    for (int h = 0; h < shape.heads; ++h) {
      const int d_k = static_cast<int>(shape.d_k);
      const int d_v = static_cast<int>(shape.d_v);
      Var scores = matmul_transposed(tape_, columns(tape_, query, h * d_k, d_k), columns(tape_, key, h * d_k, d_k));
      Var weights = softmax_rows(tape_, scale(tape_, scores, 1.0 / std::sqrt(static_cast<double>(d_k))), mask);
      maps_[name].insert(maps_[name].end(), weights->value.begin(), weights->value.end());
      heads.push_back(matmul(tape_, weights, columns(tape_, value, h * d_v, d_v)));
    }
    return project(join_columns(tape_, heads), name + "output");
  }

  // c = f ∘ c + (1 − f) ∘ x̃ along the rows, in either direction.
  Var scan(Var candidate, Var forget, bool backwards) {
    std::vector<Var> states(static_cast<std::size_t>(candidate->rows));
    Var ones = tape_.leaf(1, candidate->cols, std::vector<double>(static_cast<std::size_t>(candidate->cols), 1.0));
    Var c = tape_.node(1, candidate->cols);
    for (int i = 0; i < candidate->rows; ++i) {
      const int row = backwards ? candidate->rows - 1 - i : i;
      Var f = pick_rows(tape_, forget, {row});
      Var rest = add(tape_, ones, scale(tape_, f, -1.0));
      c = add(tape_, product(tape_, f, c), product(tape_, rest, pick_rows(tape_, candidate, {row})));
      states[static_cast<std::size_t>(row)] = c;
    }
    return join_rows(tape_, states);
  }

  Var ssru(Var x, const std::string& name, Sight sight) {
    Var candidate = project(x, name + "candidate");
    Var forget = map(tape_, project(x, name + "forget"), sigmoid, sigmoid_slope);
    const int width = candidate->cols;
    const int forwards = sight == Sight::past ? width : width / 2;
    std::vector<Var> halves;
    for (const bool backwards : {false, true}) {
      const int first = backwards ? forwards : 0;
      const int count = backwards ? width - forwards : forwards;
      halves.push_back(scan(columns(tape_, candidate, first, count), columns(tape_, forget, first, count), backwards));
    }
    return map(tape_, join_columns(tape_, halves), relu, relu_slope);
  }

  Var mix(Var x, const std::string& layer, Sight sight, Index number) {
    const MixerShape shape = c_.mixer_shape(sight, number);
    const std::string name = layer + mixer_tensors(shape).name + ".";
    const int site = site_of(sight == Sight::past ? decoder_sites : encoder_sites, number, 0);
    return residual(x, name + "norm", site, [&](Var in) {
      switch (shape.kind) {
        case MixerKind::attention:
        case MixerKind::window: return attention(in, in, name, sight_of(shape));
        case MixerKind::ssru: return ssru(in, name, sight);
      }
      return in;
    });
  }

  Var feed_forward(Var x, const std::string& name) {
    Var inner = project(x, name + "inner");
    switch (c_.activation) {
      case Activation::relu: inner = map(tape_, inner, relu, relu_slope); break;
      case Activation::gelu: inner = map(tape_, inner, gelu, gelu_slope); break;
      case Activation::swish: inner = map(tape_, inner, swish, swish_slope); break;
      case Activation::gelu_tanh: inner = map(tape_, inner, gelu_tanh, gelu_tanh_slope); break;
      case Activation::gelu_sigmoid: inner = map(tape_, inner, gelu_sigmoid, gelu_sigmoid_slope); break;
    }
    return project(inner, name + "outer");
  }

  // LayerNorm(x + Dropout(Sublayer(x))), or x + Dropout(Sublayer(LayerNorm(x))).
  template <class Sublayer>
  Var residual(Var x, const std::string& norm_name, int site, const Sublayer& sublayer) {
    if (c_.norm == Norm::after) return norm(add(tape_, x, drop(sublayer(x), site)), norm_name);
    return add(tape_, x, drop(sublayer(norm(x, norm_name)), site));
  }

  Var encode(const std::vector<int>& tokens) {
    Var x = embed(tokens, "source", source_embedding_site);
    for (Index i = 0; i < c_.encoder_layers; ++i) {
      const std::string layer = "encoder." + std::to_string(i) + ".";
      x = mix(x, layer, Sight::whole, i);
      x = residual(x, layer + "feed_forward.norm", site_of(encoder_sites, i, 1),
                   [&](Var in) { return feed_forward(in, layer + "feed_forward."); });
    }
    return has_final_norm() ? norm(x, "encoder.norm") : x;
  }

  Var decode(const std::vector<int>& tokens, Var memory) {
    Var x = embed(tokens, "target", target_embedding_site);
    for (Index i = 0; i < c_.decoder_layers; ++i) {
      const std::string layer = "decoder." + std::to_string(i) + ".";
      x = mix(x, layer, Sight::past, i);
      x = residual(x, layer + "encoder_attention.norm", site_of(decoder_sites, i, 1),
                   [&](Var in) { return attention(in, memory, layer + "encoder_attention.", {}); });
      x = residual(x, layer + "feed_forward.norm", site_of(decoder_sites, i, 2),
                   [&](Var in) { return feed_forward(in, layer + "feed_forward."); });
    }
    return has_final_norm() ? norm(x, "decoder.norm") : x;
  }

  const Config& c_;
  const Dropout& dropout_;
  Index sentence_ = 0;
  Tape tape_;
  std::map<std::string, Var> leaves_;
  Tensors maps_;
};

}  // namespace

Result run(const Config& config, const Tensors& parameters, const Batch& batch, const Dropout& dropout) {
  return Model(config, parameters, dropout).run(batch);
}

}  // namespace heed::reference
