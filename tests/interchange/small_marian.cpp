#include "interchange/small_marian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/random.h"
#include "interchange/make_archive.h"

namespace heed::interchange {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

bool is_matrix(const std::string& name, const SmallTensor& tensor) { return tensor.rows > 1 && name != "Wpos"; }
bool is_embedding(const std::string& name) { return name.find("Wemb") != std::string::npos; }

float multiplier_of(const SmallTensor& tensor) {
  float largest = 0.0f;
  for (const float value : tensor.values) largest = std::max(largest, std::abs(value));
  return 127.0f / largest;
}

std::string options_text(const SmallShape& s) {
  std::string tied = "[]";
  if (!s.tied_layers.empty()) tied = fmt::format("[{}]", fmt::join(s.tied_layers, ", "));
  return fmt::format(
             "type: transformer\ndim-emb: {}\nenc-depth: {}\ndec-depth: {}\ntransformer-heads: {}\n"
             "transformer-dim-ffn: {}\ntransformer-decoder-dim-ffn: {}\ntransformer-ffn-activation: {}\n"
             "transformer-preprocess: \"{}\"\ntransformer-postprocess: {}\ntransformer-postprocess-top: \"{}\"\n"
             "transformer-postprocess-emb: {}\ntransformer-decoder-autoreg: {}\ndec-cell: {}\n"
             "transformer-tied-layers:\n  {}\ninput-types:\n  []\nversion: {}\n",
             s.d_model, s.encoder_layers, s.decoder_layers, s.heads, s.d_ff, s.decoder_d_ff, s.activation,
             s.norm_before ? "n" : "", s.norm_before ? "da" : "dan", s.top_norm ? "n" : "",
             s.embedding_norm ? "nd" : "d", s.ssru ? "rnn" : "self-attention", s.ssru ? "ssru" : "gru", tied,
             s.version) +
         s.more_options;
}

// Fills a model with tensors of random numbers.
class Maker {
 public:
  explicit Maker(SmallMarian& model) : model_(model), s_(model.shape) {}

  void make() {
    make_embeddings();
    for (Index i = 1; i <= s_.encoder_layers; ++i) make_layer(fmt::format("encoder_l{}", i), s_.d_ff, false);
    for (Index i = 1; i <= s_.decoder_layers; ++i) {
      const bool used = s_.tied_layers.empty() || std::count(s_.tied_layers.begin(), s_.tied_layers.end(), i) > 0;
      if (used) make_layer(fmt::format("decoder_l{}", i), s_.decoder_d_ff, true);
    }
    for (const char* stack : {"encoder", "decoder"}) {
      if (s_.top_norm) norm(fmt::format("{}_top_ln", stack), "");
      if (s_.embedding_norm) norm(fmt::format("{}_emb_ln", stack), "_pre");
    }
  }

 private:
  void make_embeddings() {
    if (s_.tie == SmallTie::all || s_.tie == SmallTie::embeddings) {
      add("Wemb", s_.source_vocab, s_.d_model);
    } else {
      add("encoder_Wemb", s_.source_vocab, s_.d_model);
      add("decoder_Wemb", s_.target_vocab, s_.d_model);
    }
    if (s_.tie == SmallTie::none || s_.tie == SmallTie::embeddings) {
      if (s_.old_output) {
        add("decoder_ff_logit_out_W", s_.d_model, s_.target_vocab);
      } else {
        add("decoder_ff_logit_out_Wt", s_.target_vocab, s_.d_model);
      }
    }
    if (s_.output_bias) add("decoder_ff_logit_out_b", 1, s_.target_vocab);
    if (s_.learned_positions) add("Wpos", 20, s_.d_model);
  }
  void make_layer(const std::string& prefix, Index d_ff, bool decoder) {
    if (decoder && s_.ssru) {
      add(prefix + "_rnn_W", s_.d_model, s_.d_model);
      add(prefix + "_rnn_Wf", s_.d_model, s_.d_model);
      add(prefix + "_rnn_bf", 1, s_.d_model);
      norm(prefix + rnn_norm(), suffix());
    } else {
      attention(prefix + "_self");
    }
    if (decoder) attention(prefix + "_context");
    add(prefix + "_ffn_W1", s_.d_model, d_ff);
    add(prefix + "_ffn_b1", 1, d_ff);
    add(prefix + "_ffn_W2", d_ff, s_.d_model);
    add(prefix + "_ffn_b2", 1, s_.d_model);
    norm(prefix + "_ffn_ffn_ln", suffix());
  }
  void attention(const std::string& prefix) {
    for (const char* part : {"q", "k", "v", "o"}) {
      add(prefix + "_W" + part, s_.d_model, s_.d_model);
      add(prefix + "_b" + part, 1, s_.d_model);
    }
    norm(prefix + "_Wo_ln", suffix());
  }
  void norm(const std::string& prefix, const char* suffix) {
    add(prefix + "_scale" + suffix, 1, s_.d_model, 1.0f);
    add(prefix + "_bias" + suffix, 1, s_.d_model);
  }
  const char* rnn_norm() const { return s_.norm_before ? "_rnn_ln" : "_rnn_ffn_ln"; }
  const char* suffix() const { return s_.norm_before ? "_pre" : ""; }

  void add(const std::string& name, Index rows, Index cols, float around = 0.0f) {
    SmallTensor tensor{rows, cols, {}};
    for (Index i = 0; i < rows * cols; ++i) {
      tensor.values.push_back(around + static_cast<float>(uniform(7, drawn_++) - 0.5));
    }
    model_.tensors.emplace(name, std::move(tensor));
  }

  SmallMarian& model_;
  const SmallShape& s_;
  std::uint64_t drawn_ = 0;
};

// What Marian computes, in double precision.
class Forward {
 public:
  explicit Forward(const SmallMarian& model) : model_(model), s_(model.shape) {}

  double score(std::vector<int> source, std::vector<int> target) const {
    source.push_back(0);
    target.push_back(0);
    Rows x = embed(source, "encoder", false);
    for (Index i = 1; i <= s_.encoder_layers; ++i) {
      const std::string prefix = fmt::format("encoder_l{}", i);
      x = sublayer(x, prefix + "_self_Wo_ln", [&](const Rows& in) { return attend(in, in, prefix + "_self", false); });
      x = feed_forward(x, prefix);
    }
    const Rows memory = top(x, "encoder");
    Rows y = embed(target, "decoder", true);
    for (Index i = 1; i <= s_.decoder_layers; ++i) y = decoder_layer(y, memory, i);
    y = top(y, "decoder");
    double sum = 0.0;
    for (std::size_t t = 0; t < target.size(); ++t) sum += log_probability(y[t], target[t]);
    return sum;
  }

 private:
  const SmallTensor& tensor(const std::string& name) const { return model_.tensors.at(name); }

  Rows embed(const std::vector<int>& ids, const std::string& stack, bool shifted) const {
    const SmallTensor& table = tensor(model_.tensors.contains("Wemb") ? "Wemb" : stack + "_Wemb");
    const Index half = s_.d_model / 2;
    Rows rows;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      Row row(static_cast<std::size_t>(s_.d_model));
      const bool zero = shifted && t == 0;
      const int id = shifted && t > 0 ? ids[t - 1] : ids[t];
      for (Index k = 0; k < s_.d_model; ++k) {
        const double token = zero ? 0.0 : table.at(id, k);
        double& value = row[static_cast<std::size_t>(k)];
        if (s_.learned_positions) {
          value = token + tensor("Wpos").at(static_cast<Index>(t), k);
        } else {
          const double rate = std::pow(10000.0, -static_cast<double>(k % half) / static_cast<double>(half - 1));
          const double angle = static_cast<double>(t) * rate;
          value = token * std::sqrt(static_cast<double>(s_.d_model)) + (k < half ? std::sin(angle) : std::cos(angle));
        }
      }
      rows.push_back(row);
    }
    return s_.embedding_norm ? norm(rows, stack + "_emb_ln", "_pre") : rows;
  }

  Rows decoder_layer(Rows y, const Rows& memory, Index number) const {
    if (!s_.tied_layers.empty()) number = s_.tied_layers[static_cast<std::size_t>(number - 1)];
    const std::string prefix = fmt::format("decoder_l{}", number);
    if (s_.ssru) {
      y = sublayer(y, prefix + (s_.norm_before ? "_rnn_ln" : "_rnn_ffn_ln"),
                   [&](const Rows& in) { return ssru(in, prefix + "_rnn"); });
    } else {
      y = sublayer(y, prefix + "_self_Wo_ln", [&](const Rows& in) { return attend(in, in, prefix + "_self", true); });
    }
    y = sublayer(y, prefix + "_context_Wo_ln",
                 [&](const Rows& in) { return attend(in, memory, prefix + "_context", false); });
    return feed_forward(y, prefix);
  }

  template <class Layer>
  Rows sublayer(const Rows& x, const std::string& norm_name, const Layer& layer) const {
    Rows out = layer(s_.norm_before ? norm(x, norm_name, "_pre") : x);
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t k = 0; k < x[t].size(); ++k) out[t][k] += x[t][k];
    }
    return s_.norm_before ? out : norm(out, norm_name, "");
  }

  Rows norm(Rows x, const std::string& name, const char* suffix) const {
    const SmallTensor& scale = tensor(name + "_scale" + suffix);
    const SmallTensor& bias = tensor(name + "_bias" + suffix);
    for (Row& row : x) {
      double mean = 0.0, variance = 0.0;
      for (const double value : row) mean += value / static_cast<double>(row.size());
      for (const double value : row) variance += (value - mean) * (value - mean) / static_cast<double>(row.size());
      for (std::size_t k = 0; k < row.size(); ++k) {
        row[k] = (row[k] - mean) / std::sqrt(variance + 1e-6) * scale.values[k] + bias.values[k];
      }
    }
    return x;
  }
  Rows top(const Rows& x, const std::string& stack) const { return s_.top_norm ? norm(x, stack + "_top_ln", "") : x; }

  // x W + b; an empty name is no bias.
  Rows linear(const Rows& x, const std::string& weight, const std::string& bias) const {
    const SmallTensor& w = tensor(weight);
    Rows out;
    for (const Row& row : x) {
      Row y(static_cast<std::size_t>(w.cols));
      for (Index o = 0; o < w.cols; ++o) {
        double& sum = y[static_cast<std::size_t>(o)];
        if (!bias.empty()) sum = tensor(bias).at(0, o);
        for (Index i = 0; i < w.rows; ++i) sum += row[static_cast<std::size_t>(i)] * w.at(i, o);
      }
      out.push_back(y);
    }
    return out;
  }

  Rows attend(const Rows& x, const Rows& memory, const std::string& prefix, bool past_only) const {
    const Rows q = linear(x, prefix + "_Wq", prefix + "_bq");
    const Rows k = linear(memory, prefix + "_Wk", prefix + "_bk");
    const Rows v = linear(memory, prefix + "_Wv", prefix + "_bv");
    const auto width = static_cast<std::size_t>(s_.d_model / s_.heads);
    Rows mixed(x.size(), Row(static_cast<std::size_t>(s_.d_model)));
    for (std::size_t t = 0; t < x.size(); ++t) {
      const std::size_t seen = past_only ? t + 1 : memory.size();
      for (std::size_t first = 0; first < mixed[t].size(); first += width) {
        Row weights(seen);
        double total = 0.0;
        for (std::size_t j = 0; j < seen; ++j) {
          double dot = 0.0;
          for (std::size_t c = first; c < first + width; ++c) dot += q[t][c] * k[j][c];
          total += weights[j] = std::exp(dot / std::sqrt(static_cast<double>(width)));
        }
        for (std::size_t j = 0; j < seen; ++j) {
          for (std::size_t c = first; c < first + width; ++c) mixed[t][c] += weights[j] / total * v[j][c];
        }
      }
    }
    return linear(mixed, prefix + "_Wo", prefix + "_bo");
  }

  Rows ssru(const Rows& x, const std::string& prefix) const {
    const Rows candidate = linear(x, prefix + "_W", "");
    const Rows gate = linear(x, prefix + "_Wf", prefix + "_bf");
    Row state(static_cast<std::size_t>(s_.d_model));
    Rows out = candidate;
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t c = 0; c < state.size(); ++c) {
        const double f = 1.0 / (1.0 + std::exp(-gate[t][c]));
        state[c] = f * state[c] + (1.0 - f) * candidate[t][c];
        out[t][c] = std::max(0.0, state[c]);
      }
    }
    return out;
  }

  Rows feed_forward(const Rows& x, const std::string& prefix) const {
    return sublayer(x, prefix + "_ffn_ffn_ln", [&](const Rows& in) {
      Rows hidden = linear(in, prefix + "_ffn_W1", prefix + "_ffn_b1");
      for (Row& row : hidden) {
        for (double& value : row) value = activate(value);
      }
      return linear(hidden, prefix + "_ffn_W2", prefix + "_ffn_b2");
    });
  }
  double activate(double x) const {
    if (s_.activation == "relu") return std::max(0.0, x);
    const bool exact = s_.activation == "gelu" && s_.version.starts_with("v1.12.43");
    if (exact) return x * 0.5 * (1.0 + std::erf(x / std::sqrt(2.0)));
    return x / (1.0 + std::exp(-(s_.activation == "gelu" ? 1.702 : 1.0) * x));
  }

  double logit(const Row& hidden, Index id) const {
    const bool own = s_.tie == SmallTie::none || s_.tie == SmallTie::embeddings;
    const bool old = own && s_.old_output;
    const SmallTensor& w = tensor(own ? (old ? "decoder_ff_logit_out_W" : "decoder_ff_logit_out_Wt")
                                  : s_.tie == SmallTie::all ? "Wemb"
                                                            : "decoder_Wemb");
    double sum = s_.output_bias ? tensor("decoder_ff_logit_out_b").at(0, id) : 0.0;
    for (Index k = 0; k < s_.d_model; ++k)
      sum += hidden[static_cast<std::size_t>(k)] * (old ? w.at(k, id) : w.at(id, k));
    return sum;
  }
  double log_probability(const Row& hidden, Index wanted) const {
    double total = 0.0;
    for (Index id = 0; id < s_.target_vocab; ++id) total += std::exp(logit(hidden, id));
    return logit(hidden, wanted) - std::log(total);
  }

  const SmallMarian& model_;
  const SmallShape& s_;
};

}  // namespace

SmallMarian::SmallMarian(const SmallShape& of_shape) : shape(of_shape), options(options_text(of_shape)) {
  Maker(*this).make();
}

std::string make_npy(const std::string& type, const std::vector<Index>& shape, const std::string& bytes) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.resize((header.size() + 11 + 15) / 16 * 16 - 11, ' ');
  header += '\n';
  return "\x93NUMPY" + std::string("\1\0", 2) + bytes_of(static_cast<std::uint16_t>(header.size())) + header + bytes;
}

std::string SmallMarian::npz() const {
  std::vector<ArchiveFile> files;
  for (const auto& [name, tensor] : tensors) {
    files.push_back({name + ".npy", make_npy("<f4", {tensor.rows, tensor.cols}, bytes_of(tensor.values))});
  }
  const std::string text = options + std::string(5, '\0');
  files.push_back({"special:model.yml.npy", make_npy("<i1", {static_cast<Index>(text.size())}, text)});
  return make_archive(files, Packing::stored_zip);
}

std::string SmallMarian::bin(bool intgemm8, bool of_marian) const {
  struct Item {
    std::string name;
    std::uint64_t type;
    std::vector<std::int32_t> shape;
    std::string bytes;
  };
  std::vector<Item> items;
  const auto padded = [](std::string bytes) {
    bytes.resize((bytes.size() + 255) / 256 * 256);
    return bytes;
  };
  for (const auto& [name, tensor] : tensors) {
    const std::vector<std::int32_t> shape{static_cast<std::int32_t>(tensor.rows),
                                          static_cast<std::int32_t>(tensor.cols)};
    if (!intgemm8 || !is_matrix(name, tensor) || (of_marian && is_embedding(name))) {
      items.push_back({name, 0x404, shape, padded(bytes_of(tensor.values))});
      continue;
    }
    const float multiplier = multiplier_of(tensor);
    std::string bytes;
    const auto add = [&](Index row, Index col) {
      bytes += static_cast<char>(static_cast<std::int8_t>(std::nearbyint(tensor.at(row, col) * multiplier)));
    };
    if (is_embedding(name)) {
      for (Index i = 0; i < tensor.rows * tensor.cols; ++i) add(i / tensor.cols, i % tensor.cols);
    } else {
      for (Index i = 0; i < tensor.rows * tensor.cols; ++i) add(i % tensor.rows, i / tensor.rows);
    }
    items.push_back({name, of_marian ? 0x10001u : 0x4101u, shape, padded(bytes + bytes_of(multiplier))});
    items.push_back({name + "_QuantMultA", 0x404, {1, 1}, padded(bytes_of(8.5f))});
  }
  const std::string text = options + std::string(3, '\0');
  items.push_back({"special:model.yml", 0x101, {static_cast<std::int32_t>(text.size())}, text});
  std::string file = bytes_of(std::uint64_t{1}) + bytes_of(static_cast<std::uint64_t>(items.size()));
  for (const Item& item : items) {
    for (const std::uint64_t value :
         {static_cast<std::uint64_t>(item.name.size() + 1), item.type, static_cast<std::uint64_t>(item.shape.size()),
          static_cast<std::uint64_t>(item.bytes.size())}) {
      file += bytes_of(value);
    }
  }
  for (const Item& item : items) file += item.name + '\0';
  for (const Item& item : items) {
    for (const std::int32_t size : item.shape) file += bytes_of(size);
  }
  const std::size_t gap = 256 - (file.size() + 8) % 256;
  file += bytes_of(static_cast<std::uint64_t>(gap)) + std::string(gap, '\0');
  for (const Item& item : items) file += item.bytes;
  return file;
}

SmallMarian SmallMarian::rounded() const {
  SmallMarian model = *this;
  for (auto& [name, tensor] : model.tensors) {
    if (!is_matrix(name, tensor)) continue;
    const float multiplier = multiplier_of(tensor);
    for (float& value : tensor.values) value = std::nearbyint(value * multiplier) / multiplier;
  }
  return model;
}

double SmallMarian::score(const std::vector<int>& source, const std::vector<int>& target) const {
  return Forward(*this).score(source, target);
}

std::string small_vocabulary(Index size) {
  std::string text = "\"</s>\": 0\n<unk>: 1\n";
  for (Index id = 2; id < size; ++id) text += fmt::format("w{}: {}\n", id, id);
  return text;
}

}  // namespace heed::interchange
