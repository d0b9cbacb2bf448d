// Models that go to another program's format and back are the same bit for bit.
#include "interchange/export.h"

#include <map>

#include "error_message.h"
#include "interchange/small_words.h"
#include "model/files.h"
#include "model/parameters.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Tokenizer> small_tokenizer(const std::vector<std::string>& lines) {
  return train_tokenizer({TokenizerKind::bpe, Normalization::nfkc, 280}, lines);
}

const TokenizerPair& small_tokenizers(bool shared) {
  static const TokenizerPair two{small_tokenizer({"a bc abc ab c", "b ca cab abc d", "d e f ab abc"}),
                                 small_tokenizer({"x yz xyz xy z", "y zx zxy xyz w", "w v u xy xyz"})};
  static const TokenizerPair one{two.source, two.source};
  return shared ? one : two;
}

Config small_config() { return {.encoder_layers = 2, .decoder_layers = 2, .d_model = 16, .d_ff = 24, .heads = 2}; }

// A folder of heed's with random weights.
fs::path make_small_model(const TestFolder& folder, Config config, ModelInfo info = {}) {
  const TokenizerPair& tokenizers = small_tokenizers(config.tie == Tie::all || config.tie == Tie::embeddings);
  config.source_vocab = tokenizers.source->size();
  config.target_vocab = tokenizers.target->size();
  info.config = config;
  const Layout layout = layout_of(config);
  std::vector<float> weights(static_cast<std::size_t>(layout.size));
  initialise(layout, 3, weights.data());
  // Biases and gains of their own, too.
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += 0.01f * static_cast<float>(i % 7);
  const fs::path path = folder / "model";
  make_folder(path);
  save_tokenizers(tokenizers, path);
  write_info(path, info);
  write_weights(path / "model.safetensors", layout, {{"", weights}}, tokenizer_facts(tokenizers));
  return path;
}

// The tensors of a folder, by name.
std::map<std::string, std::string> tensors_of(const fs::path& folder) {
  const Safetensors file(folder / "model.safetensors");
  std::map<std::string, std::string> tensors;
  for (const NamedTensor& tensor : file.tensors()) {
    tensors[tensor.name] = {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
  }
  return tensors;
}

// Exports, imports and compares; returns what came back.
ModelInfo expect_same(const Config& config, const ExportOptions& options, const ModelInfo& info = {}) {
  const TestFolder folder;
  const fs::path model = make_small_model(folder, config, info);
  export_model(model, folder / "exported", options);
  const fs::path back = import_small(folder / "exported");
  EXPECT_EQ(tensors_of(back), tensors_of(model));
  const TokenizerPair before = load_tokenizers(model), after = load_tokenizers(back);
  for (const char* text : {"ab c abc\u00e9", "xyz x", "d  e"}) {
    EXPECT_EQ(after.source->encode(text), before.source->encode(text));
    EXPECT_EQ(after.target->encode(text), before.target->encode(text));
  }
  return read_info(back);
}

std::vector<Config> shapes_for_both() {
  std::vector<Config> shapes;
  for (const Tie tie : {Tie::all, Tie::target, Tie::embeddings, Tie::none}) {
    Config config = small_config();
    config.tie = tie;
    shapes.push_back(config);
  }
  for (const Positions positions : {Positions::halves, Positions::halves_paper, Positions::learned, Positions::none}) {
    Config config = small_config();
    config.positions = positions;
    config.max_positions = 40;
    config.attention_bias = config.output_bias = true;
    shapes.push_back(config);
  }
  Config other = small_config();
  other.activation = Activation::gelu_sigmoid;
  other.decoder_d_ff = 40;
  other.start = StartFrom::zero;
  other.embedding_scale = EmbeddingScale::one;
  other.position_start = 2;
  shapes.push_back(other);
  return shapes;
}

TEST(Export, CtranslateTwoAndBackIsTheSame) {
  for (const Config& config : shapes_for_both()) {
    const ModelInfo back = expect_same(config, {.format = ExportFormat::ctranslate2});
    EXPECT_EQ(back.config.positions, config.positions);
    EXPECT_EQ(back.config.position_start, config.position_start);
    EXPECT_EQ(back.config.layer_norm_epsilon, config.layer_norm_epsilon);
    EXPECT_EQ(back.config.tie, config.tie);
    EXPECT_EQ(back.config.start, config.start);
  }
}

TEST(Export, CtranslateTwoHasTheNormBefore) {
  Config config = small_config();
  config.norm = Norm::before;
  EXPECT_EQ(expect_same(config, {}).config.norm, Norm::before);
  config.norm = Norm::after;
  config.final_norm = config.embedding_norm = true;
  EXPECT_TRUE(expect_same(config, {}).config.final_norm);
  ModelInfo endless;
  endless.source_end = false;
  EXPECT_FALSE(expect_same(small_config(), {}, endless).source_end);
}

TEST(Export, HuggingFaceAndBackIsTheSame) {
  for (const Config& config : shapes_for_both()) {
    const ModelInfo back = expect_same(config, {.format = ExportFormat::huggingface});
    EXPECT_EQ(back.config.positions, config.positions);
    EXPECT_EQ(back.config.tie, config.tie);
    EXPECT_EQ(back.config.start, config.start);
    EXPECT_EQ(back.config.layer_norm_epsilon, 1e-5f);
  }
}

TEST(Export, EightBitIntegersAndBackAreTheSame) {
  for (const Tie tie : {Tie::all, Tie::target, Tie::embeddings, Tie::none}) {
    const TestFolder folder;
    Config config = small_config();
    config.tie = tie;
    const fs::path model = make_small_model(folder, config);
    // heed's own integers, and those of an export in one go.
    const ModelInfo info = read_info(model);
    std::vector<float> weights(static_cast<std::size_t>(layout_of(info.config).size));
    read_weights(model / "model.safetensors", layout_of(info.config), {{"", weights}}, Verify::checksum);
    Int8Weights integers = quantize(info.config, weights);
    const TokenizerPair tokenizers = load_tokenizers(model);
    make_folder(folder / "int8");
    save_tokenizers(tokenizers, folder / "int8");
    write_info(folder / "int8", info);
    write_int8_weights(folder / "int8" / "model.safetensors", info.config, integers, tokenizer_facts(tokenizers));
    export_model(folder / "int8", folder / "a", {});
    export_model(model, folder / "b", {.type = NumberType::int8});
    EXPECT_EQ(read_file(folder / "a" / "model.bin"), read_file(folder / "b" / "model.bin"));
    EXPECT_EQ(tensors_of(import_small(folder / "a")), tensors_of(folder / "int8"));
  }
}

TEST(Export, WhatTheOtherCannotExpressIsRefusedByName) {
  const auto refusal = [](const Config& config, ExportFormat format, const ModelInfo& info = {}) {
    const TestFolder folder;
    const fs::path model = make_small_model(folder, config, info);
    const std::string message = error_message([&] { export_model(model, folder / "x", {.format = format}); });
    EXPECT_FALSE(fs::exists(folder / "x"));
    return message;
  };
  const auto expect_part = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Config config = small_config();
  config.decoder_mixer = {MixerKind::ssru};
  expect_part(refusal(config, ExportFormat::ctranslate2), "decoder-mixer is ssru, which CTranslate2 cannot express");
  expect_part(refusal(config, ExportFormat::huggingface), "decoder-mixer is ssru");
  config = small_config();
  config.d_v = 4;
  expect_part(refusal(config, ExportFormat::ctranslate2), "d-v is 4");
  config = small_config();
  config.norm = Norm::before;
  expect_part(refusal(config, ExportFormat::huggingface), "norm is before");
  config = small_config();
  config.embedding_norm = true;
  expect_part(refusal(config, ExportFormat::huggingface), "embedding-norm is on");
  ModelInfo info;
  info.source_end = false;
  expect_part(refusal(small_config(), ExportFormat::huggingface, info), "source_end is false");
  info.task = ModelTask::parse;
  expect_part(refusal(small_config(), ExportFormat::ctranslate2, info), "to parse");
}

TEST(Export, NotesTellWhatDiffers) {
  const TestFolder folder;
  const fs::path model = make_small_model(folder, small_config());
  const std::vector<std::string> notes = export_model(model, folder / "x", {.format = ExportFormat::huggingface});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[0].find("layer-norm-epsilon is 1e-06"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("length-penalty"), std::string::npos) << notes[1];
  EXPECT_FALSE(error_message([&] { export_model(model, folder / "x", {}); }).empty());
}

}  // namespace
}  // namespace heed::interchange
