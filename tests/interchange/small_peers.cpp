#include "interchange/small_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/small_sentencepiece.h"

namespace heed::interchange {
namespace {

constexpr Index positions = 24;

// Marian keeps (in, out), the others (out, in).
SmallTensor transposed(const SmallTensor& tensor) {
  SmallTensor turned{tensor.cols, tensor.rows, {}};
  for (Index row = 0; row < turned.rows; ++row) {
    for (Index col = 0; col < turned.cols; ++col) turned.values.push_back(tensor.at(col, row));
  }
  return turned;
}

SmallTensor stacked(const std::vector<SmallTensor>& parts) {
  SmallTensor all{0, parts[0].cols, {}};
  for (const SmallTensor& part : parts) {
    all.rows += part.rows;
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
  }
  return all;
}

SmallTensor position_table(const SmallMarian& model) {
  const Index d = model.shape.d_model, half = d / 2;
  SmallTensor table{positions, d, {}};
  for (Index position = 0; position < positions; ++position) {
    for (Index k = 0; k < d; ++k) {
      const double angle = static_cast<double>(position) *
                           std::pow(10000.0, -static_cast<double>(k % half) / static_cast<double>(half - 1));
      table.values.push_back(static_cast<float>(k < half ? std::sin(angle) : std::cos(angle)));
    }
  }
  return table;
}

SmallTensor with_padding(SmallTensor tensor) {
  tensor.values.resize(tensor.values.size() + static_cast<std::size_t>(tensor.cols), 0.0f);
  ++tensor.rows;
  return tensor;
}

std::string shared_name(const SmallMarian& model, const char* stack) {
  return model.tensors.contains("Wemb") ? "Wemb" : std::string(stack) + "_Wemb";
}

}  // namespace

std::vector<SmallStored> hugging_face_tensors(const SmallMarian& model, SmallForm form) {
  std::vector<SmallStored> stored;
  const auto add = [&](const std::string& name, const SmallTensor& tensor, bool vector = false) {
    const std::vector<Index> shape = vector ? std::vector{tensor.cols} : std::vector{tensor.rows, tensor.cols};
    stored.push_back({name, shape, form, stored_bytes(tensor.values, form)});
  };
  const auto of = [&](const std::string& name) -> const SmallTensor& { return model.tensors.at(name); };
  if (model.tensors.contains("Wemb")) {
    add("model.shared.weight", with_padding(of("Wemb")));
  } else {
    add("model.encoder.embed_tokens.weight", with_padding(of("encoder_Wemb")));
    add("model.decoder.embed_tokens.weight", with_padding(of("decoder_Wemb")));
  }
  if (model.tensors.contains("decoder_ff_logit_out_Wt")) {
    add("lm_head.weight", with_padding(of("decoder_ff_logit_out_Wt")));
  }
  SmallTensor bias = of("decoder_ff_logit_out_b");
  bias.values.push_back(0.0f);
  ++bias.cols;
  add("final_logits_bias", bias);
  for (const std::string stack : {"encoder", "decoder"}) {
    add("model." + stack + ".embed_positions.weight", position_table(model));
    const Index layers = stack == "encoder" ? model.shape.encoder_layers : model.shape.decoder_layers;
    for (Index i = 0; i < layers; ++i) {
      const std::string from = fmt::format("{}_l{}_", stack, i + 1), to = fmt::format("model.{}.layers.{}.", stack, i);
      const auto linear = [&](const std::string& theirs, const std::string& weight, const std::string& bias_name) {
        add(to + theirs + ".weight", transposed(of(from + weight)));
        add(to + theirs + ".bias", of(from + bias_name), true);
      };
      const auto attention = [&](const std::string& theirs, const std::string& marian) {
        for (const char* part : {"q", "k", "v"}) {
          linear(theirs + "." + part + "_proj", marian + "_W" + part, marian + "_b" + part);
        }
        linear(theirs + ".out_proj", marian + "_Wo", marian + "_bo");
        add(to + theirs + "_layer_norm.weight", of(from + marian + "_Wo_ln_scale"), true);
        add(to + theirs + "_layer_norm.bias", of(from + marian + "_Wo_ln_bias"), true);
      };
      attention("self_attn", "self");
      if (stack == "decoder") attention("encoder_attn", "context");
      linear("fc1", "ffn_W1", "ffn_b1");
      linear("fc2", "ffn_W2", "ffn_b2");
      add(to + "final_layer_norm.weight", of(from + "ffn_ffn_ln_scale"), true);
      add(to + "final_layer_norm.bias", of(from + "ffn_ffn_ln_bias"), true);
    }
  }
  return stored;
}

std::string hugging_face_config(const SmallMarian& model) {
  const SmallShape& s = model.shape;
  return fmt::format(
      R"({{"model_type": "marian", "d_model": {}, "encoder_layers": {}, "decoder_layers": {},
 "encoder_attention_heads": {}, "decoder_attention_heads": {}, "encoder_ffn_dim": {}, "decoder_ffn_dim": {},
 "activation_function": "{}", "scale_embedding": true, "share_encoder_decoder_embeddings": {},
 "tie_word_embeddings": {}, "vocab_size": {}, "decoder_vocab_size": {}, "eos_token_id": 0, "pad_token_id": {},
 "decoder_start_token_id": {}, "bad_words_ids": [[{}]], "num_beams": 6, "max_length": 512}})",
      s.d_model, s.encoder_layers, s.decoder_layers, s.heads, s.heads, s.d_ff, s.decoder_d_ff, s.activation,
      s.tie == SmallTie::all || s.tie == SmallTie::embeddings, s.tie == SmallTie::all || s.tie == SmallTie::target,
      s.source_vocab + 1, s.target_vocab + 1, s.target_vocab, s.target_vocab, s.target_vocab);
}

std::string hugging_face_vocabulary(Index size) {
  std::string json = R"({"</s>": 0, "<unk>": 1)";
  for (Index id = 2; id < size; ++id) json += fmt::format(", \"\u2581w{}\": {}", id, id);
  return json + fmt::format(", \"<pad>\": {}}}", size);
}

std::string small_words_spm(Index size) {
  std::string model = piece_field("<unk>", 0.0f, PieceKind::unknown) + piece_field("<s>", 0.0f, PieceKind::control) +
                      piece_field("</s>", 0.0f, PieceKind::control);
  for (Index id = size - 1; id >= 2; --id) model += piece_field(fmt::format("\u2581w{}", id), -1.0f, PieceKind::normal);
  return model + proto_field(2, proto_field(3, std::uint64_t{1})) + proto_field(3, proto_field(1, std::string("x")));
}

std::vector<ArchiveFile> hugging_face_folder(const SmallMarian& model, SmallForm form, SmallContainer container) {
  const std::vector<SmallStored> tensors = hugging_face_tensors(model, form);
  const Index size = model.shape.target_vocab;
  std::vector<ArchiveFile> files{
      {"config.json", hugging_face_config(model)},
      {"generation_config.json", R"({"num_beams": 4, "length_penalty": 0.5})"},
      {"tokenizer_config.json", R"({"source_lang": "en", "target_lang": "pt", "separate_vocabs": false})"},
      {"README.md", "---\nlanguage:\n- en\nlicense: cc-by-4.0\n---\n\nA model.\n"},
      {"vocab.json", hugging_face_vocabulary(size)},
      {"source.spm", small_words_spm(size)},
      {"target.spm", small_words_spm(size)}};
  switch (container) {
    case SmallContainer::safetensors: files.push_back({"model.safetensors", make_safetensors(tensors)}); break;
    case SmallContainer::zip: files.push_back({"pytorch_model.bin", make_pytorch_zip(tensors)}); break;
    case SmallContainer::pickles: files.push_back({"pytorch_model.bin", make_pytorch_pickles(tensors)}); break;
  }
  return files;
}

namespace {

// model.bin, variable by variable.
class Ctranslate2Writer {
 public:
  Ctranslate2Writer(const SmallMarian& model, const SmallCtranslate2& form) : model_(model), form_(form) {}

  std::string file() {
    add_attributes();
    add_embeddings();
    for (const std::string stack : {"encoder", "decoder"}) add_stack(stack);
    std::string bytes = raw(form_.version) + text("TransformerSpec") + raw(std::uint32_t{form_.version < 5 ? 3u : 7u}) +
                        raw(count_) + variables_;
    if (form_.version >= 3) bytes += raw(alias_count_) + aliases_;
    return bytes;
  }

 private:
  template <class T>
  static std::string raw(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
  static std::string text(const std::string& value) {
    return raw(static_cast<std::uint16_t>(value.size() + 1)) + value + '\0';
  }
  const SmallTensor& of(const std::string& name) const { return model_.tensors.at(name); }

  // Types: 0 f32, 1 int8, 2 int16.
  void add(const std::string& name, const std::vector<Index>& shape, std::uint8_t type, const std::string& bytes) {
    constexpr std::uint8_t sizes[] = {4, 1, 2};
    ++count_;
    variables_ += text(name) + raw(static_cast<std::uint8_t>(shape.size()));
    for (const Index size : shape) variables_ += raw(static_cast<std::uint32_t>(size));
    if (form_.version >= 4) {
      variables_ += raw(type) + raw(static_cast<std::uint32_t>(bytes.size()));
    } else {
      variables_ += raw(sizes[type]) + raw(static_cast<std::uint32_t>(bytes.size() / sizes[type]));
    }
    variables_ += bytes;
  }
  void add_vector(const std::string& name, const SmallTensor& tensor) {
    add(name, {static_cast<Index>(tensor.values.size())}, 0, stored_bytes(tensor.values, SmallForm::f32));
  }
  void add_table(const std::string& name, const SmallTensor& tensor) {
    add(name, {tensor.rows, tensor.cols}, 0, stored_bytes(tensor.values, SmallForm::f32));
  }

  void add_matrix(const std::string& name, const SmallTensor& tensor) {
    if (form_.numbers == SmallNumbers::f32) return add_table(name, tensor);
    const bool int8 = form_.numbers == SmallNumbers::int8;
    std::string bytes;
    std::vector<float> scales;
    const auto largest = [](auto first, auto last) {
      float most = 0.0f;
      for (; first != last; ++first) most = std::max(most, std::abs(*first));
      return most;
    };
    const float whole = 1024.0f / largest(tensor.values.begin(), tensor.values.end());
    for (Index row = 0; row < tensor.rows; ++row) {
      const auto first = tensor.values.begin() + row * tensor.cols;
      if (int8) scales.push_back(127.0f / largest(first, first + tensor.cols));
      for (Index col = 0; col < tensor.cols; ++col) {
        const float value = std::nearbyint(tensor.at(row, col) * (int8 ? scales.back() : whole));
        bytes += int8 ? raw(static_cast<std::int8_t>(value)) : raw(static_cast<std::int16_t>(value));
      }
    }
    add(name, {tensor.rows, tensor.cols}, int8 ? 1 : 2, bytes);
    if (int8) {
      add(name + "_scale", {tensor.rows}, 0, stored_bytes(scales, SmallForm::f32));
    } else {
      add(name + "_scale", {}, 0, raw(whole));
    }
  }

  void add_attributes() {
    const SmallShape& s = model_.shape;
    const std::int8_t activation = s.activation == "relu" ? 0 : 2;
    const std::vector<std::string> stacks =
        form_.version < 5 ? std::vector<std::string>{""} : std::vector<std::string>{"encoder/", "decoder/"};
    for (const std::string& stack : stacks) {
      add(stack + "num_heads", {}, 2, raw(static_cast<std::int16_t>(s.heads)));
      add(stack + "pre_norm", {}, 1, raw(std::int8_t{s.norm_before}));
      add(stack + "activation", {}, 1, raw(activation));
    }
    add("decoder/start_from_zero_embedding", {}, 1, raw(std::int8_t{1}));
    add("encoder/scale_embeddings", {}, 1, raw(std::int8_t{1}));
    add("decoder/scale_embeddings", {}, 0, raw(std::sqrt(static_cast<float>(s.d_model))));
    if (form_.version < 6) add("with_source_eos", {}, 1, raw(std::int8_t{form_.source_end}));
  }

  // Tied matrices are aliases, or copies before version 3.
  void tie(const std::string& name, const std::string& original, const SmallTensor& tensor) {
    if (form_.version < 3) return add_matrix(name, tensor);
    ++alias_count_;
    aliases_ += text(name) + text(original);
  }

  void add_embeddings() {
    const std::string source = "encoder/embeddings_0/weight", target = "decoder/embeddings/weight",
                      output = "decoder/projection/weight";
    const SmallTensor& embedding = of(shared_name(model_, "decoder"));
    add_matrix(source, of(shared_name(model_, "encoder")));
    const bool shared = model_.tensors.contains("Wemb");
    shared ? tie(target, source, embedding) : add_matrix(target, embedding);
    if (model_.tensors.contains("decoder_ff_logit_out_Wt")) {
      add_matrix(output, of("decoder_ff_logit_out_Wt"));
    } else {
      tie(output, shared ? source : target, embedding);
    }
    add_vector("decoder/projection/bias", of("decoder_ff_logit_out_b"));
  }

  void add_stack(const std::string& stack) {
    const SmallShape& s = model_.shape;
    const std::string pre = s.norm_before ? "_pre" : "";
    if (form_.table) add_table(stack + "/position_encodings/encodings", position_table(model_));
    if (s.top_norm) add_norm(stack + "/layer_norm", stack + "_top_ln", "");
    for (Index i = 0; i < (stack == "encoder" ? s.encoder_layers : s.decoder_layers); ++i) {
      const std::string from = fmt::format("{}_l{}_", stack, i + 1), to = fmt::format("{}/layer_{}/", stack, i);
      add_linear(to + "self_attention/linear_0", from + "self", {"q", "k", "v"});
      add_linear(to + "self_attention/linear_1", from + "self", {"o"});
      add_norm(to + "self_attention/layer_norm", from + "self_Wo_ln", pre);
      if (stack == "decoder") {
        add_linear(to + "attention/linear_0", from + "context", {"q"});
        add_linear(to + "attention/linear_1", from + "context", {"k", "v"});
        add_linear(to + "attention/linear_2", from + "context", {"o"});
        add_norm(to + "attention/layer_norm", from + "context_Wo_ln", pre);
      }
      add_linear(to + "ffn/linear_0", from + "ffn", {"1"});
      add_linear(to + "ffn/linear_1", from + "ffn", {"2"});
      add_norm(to + "ffn/layer_norm", from + "ffn_ffn_ln", pre);
    }
  }

  void add_linear(const std::string& to, const std::string& from, const std::vector<std::string>& parts) {
    std::vector<SmallTensor> weights;
    SmallTensor bias{1, 0, {}};
    for (const std::string& part : parts) {
      weights.push_back(transposed(of(from + "_W" + part)));
      const SmallTensor& own = of(from + "_b" + part);
      bias.values.insert(bias.values.end(), own.values.begin(), own.values.end());
    }
    add_matrix(to + "/weight", stacked(weights));
    add_vector(to + "/bias", bias);
  }

  void add_norm(const std::string& to, const std::string& from, const std::string& suffix) {
    add_vector(to + "/gamma", of(from + "_scale" + suffix));
    add_vector(to + "/beta", of(from + "_bias" + suffix));
  }

  const SmallMarian& model_;
  SmallCtranslate2 form_;
  std::string variables_, aliases_;
  std::uint32_t count_ = 0, alias_count_ = 0;
};

}  // namespace

std::string ctranslate2_model(const SmallMarian& model, const SmallCtranslate2& form) {
  return Ctranslate2Writer(model, form).file();
}

std::vector<ArchiveFile> ctranslate2_folder(const SmallMarian& model, const SmallCtranslate2& form) {
  std::string json = "[", lines;
  for (Index id = 0; id < model.shape.target_vocab; ++id) {
    const std::string token = id == 0 ? "</s>" : id == 1 ? "<unk>" : fmt::format("\u2581w{}", id);
    json += (id == 0 ? "\"" : ", \"") + token + '"';
    lines += token + '\n';
  }
  std::vector<ArchiveFile> files{{"model.bin", ctranslate2_model(model, form)},
                                 {"sentencepiece.model", small_words_spm(model.shape.target_vocab)}};
  if (form.version < 6) {
    files.push_back({"shared_vocabulary.txt", lines});
  } else {
    files.push_back({"shared_vocabulary.json", json + "]"});
    files.push_back({"config.json", fmt::format(R"({{"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
 "decoder_start_token": "</s>", "add_source_bos": false, "add_source_eos": {}, "layer_norm_epsilon": 1e-6}})",
                                                form.source_end)});
  }
  return files;
}

}  // namespace heed::interchange
