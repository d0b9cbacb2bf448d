// Marian models give the scores that their own formulas give, in every form that heed imports.
#include <gtest/gtest.h>

#include <cmath>

#include "error_message.h"
#include "heed/translator.h"
#include "interchange/import.h"
#include "interchange/make_archive.h"
#include "interchange/small_marian.h"
#include "kernels/int8.h"
#include "model/files.h"
#include "test_folder.h"

namespace heed::interchange {
namespace {

const std::vector<std::vector<int>> sources{{2, 3, 4}, {5}, {10, 9, 8, 7, 6, 5}};
const std::vector<std::vector<int>> targets{{4, 3}, {2, 2, 6, 7}, {9}};

std::string words(const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "w" : " w") + std::to_string(id);
  return text;
}

std::vector<double> scores_of(const std::filesystem::path& folder, NumberType type = NumberType::stored) {
  std::vector<Line> lines;
  std::vector<std::string> translations;
  for (const auto& ids : sources) lines.push_back({words(ids)});
  for (const auto& ids : targets) translations.push_back(words(ids));
  std::vector<double> scores;
  for (const Translation& scored : Translator(folder, {.type = type, .threads = 1}).rescore(lines, translations)) {
    scores.push_back(scored.log_probability);
  }
  return scores;
}

// A folder with a model file, its vocabularies and the model that heed makes of them.
struct Case {
  TestFolder folder;
  ImportOptions options;

  void import(const std::string& name) const {
    ImportedModel model = import_model(folder / name, options);
    write_imported(folder / "imported", model);
  }
  std::string refusal(const std::string& name) const {
    return error_message([&] { import(name); });
  }
};

void expect_scores(const SmallMarian& model, const std::filesystem::path& folder, double tolerance) {
  const std::vector<double> scores = scores_of(folder);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_NEAR(scores[i], model.score(sources[i], targets[i]), tolerance) << i;
  }
}

void expect_scores(const SmallShape& shape) {
  const SmallMarian model(shape);
  const Case c;
  c.folder.write("model.npz", model.npz());
  c.folder.write("vocab.yml", small_vocabulary(shape.source_vocab));
  c.import("model.npz");
  expect_scores(model, c.folder / "imported", 1e-4);
}

TEST(MarianModels, PlainOnesGiveMariansScores) { expect_scores(SmallShape{}); }

TEST(MarianModels, EveryTyingGivesMariansScores) {
  for (const SmallTie tie : {SmallTie::target, SmallTie::embeddings, SmallTie::none}) {
    expect_scores({.tie = tie});
    expect_scores({.tie = tie, .old_output = true});
  }
}

TEST(MarianModels, SsruDecodersGiveMariansScores) {
  expect_scores({.ssru = true, .activation = "relu"});
  expect_scores({.ssru = true, .norm_before = true, .top_norm = true});
}

TEST(MarianModels, EveryPlaceOfTheNormGivesMariansScores) {
  expect_scores({.norm_before = true, .top_norm = true});
  expect_scores({.top_norm = true});
  expect_scores({.embedding_norm = true});
}

TEST(MarianModels, OtherOptionsGiveMariansScores) {
  expect_scores({.learned_positions = true});
  expect_scores({.output_bias = false});
  expect_scores({.activation = "gelu"});
  expect_scores({.activation = "gelu", .version = "v1.12.2 x"});
  expect_scores({.decoder_d_ff = 20});
  expect_scores({.more_options = "something-unheard-of: {a: b}\ntransformer-guided-alignment-layer: last\n"});
}

TEST(MarianModels, TiedLayersAreCopied) { expect_scores({.tied_layers = {1, 1, 3}, .decoder_layers = 3}); }

TEST(MarianModels, TwoVocabulariesOfDifferentSizes) {
  const SmallMarian model({.tie = SmallTie::target, .source_vocab = 14});
  Case c;
  c.folder.write("m.npz", model.npz());
  c.options.vocabularies = {c.folder.write("a", small_vocabulary(14)), c.folder.write("b", small_vocabulary(11))};
  c.import("m.npz");
  expect_scores(model, c.folder / "imported", 1e-4);
}

TEST(MarianModels, RowsBeyondTheVocabularyTakePartInTheSoftmax) {
  const SmallMarian model({.source_vocab = 13, .target_vocab = 13});
  Case c;
  c.folder.write("m.npz", model.npz());
  c.options.vocabularies = {c.folder.write("v", small_vocabulary(11))};
  c.import("m.npz");
  expect_scores(model, c.folder / "imported", 1e-4);
}

TEST(MarianModels, FloatsInABinFileGiveMariansScores) {
  const SmallMarian model({.ssru = true});
  Case c;
  c.folder.write("model.bin", model.bin(false));
  c.folder.write("vocab.yml", small_vocabulary(11));
  c.import("model.bin");
  expect_scores(model, c.folder / "imported", 1e-4);
  EXPECT_FALSE(holds_int8(Safetensors(c.folder / "imported/model.safetensors")));
}

// As intgemm8 keeps it: -127 to 127, one multiplier for a matrix.
TEST(MarianModels, IntegersAreTakenOverAsTheyAre) {
  const SmallMarian model({.ssru = true, .activation = "relu"});
  Case c;
  c.folder.write("model.bin", model.bin(true));
  c.folder.write("vocab.yml", small_vocabulary(11));
  c.import("model.bin");
  const std::filesystem::path file = c.folder / "imported/model.safetensors";
  ASSERT_TRUE(holds_int8(Safetensors(file)));
  const Int8Weights weights =
      read_int8_weights(Safetensors(file), read_info(c.folder / "imported").config, Verify::checksum);
  const SmallMarian rounded = model.rounded();
  const SmallTensor& inner = rounded.tensors.at("encoder_l2_ffn_W1");
  std::vector<float> row(static_cast<std::size_t>(inner.rows));
  for (Index channel = 0; channel < inner.cols; ++channel) {
    kernels::dequantize_channel(weights.parameters.encoder.layers[1].feed_forward.inner.int8, channel, row);
    for (Index i = 0; i < inner.rows; ++i) {
      EXPECT_NEAR(row[static_cast<std::size_t>(i)], inner.at(i, channel), 1e-7) << channel << ' ' << i;
    }
  }
  // heed's id of the word with Marian's id 5 is 6: <s> stands before it.
  const SmallTensor& embedding = rounded.tensors.at("Wemb");
  kernels::dequantize_channel(weights.parameters.source.int8, 6, {row.data(), 8});
  for (Index i = 0; i < 8; ++i) EXPECT_NEAR(row[static_cast<std::size_t>(i)], embedding.at(5, i), 1e-7) << i;
}

TEST(MarianModels, IntegersBecomeFloatsOnRequest) {
  const SmallMarian model({.ssru = true, .activation = "relu"});
  Case c;
  c.folder.write("model.bin", model.bin(true));
  c.folder.write("vocab.yml", small_vocabulary(11));
  c.options.type = NumberType::f32;
  c.import("model.bin");
  expect_scores(model.rounded(), c.folder / "imported", 1e-4);
}

TEST(MarianModels, ScoresOfIntegersAreNearThoseOfFloats) {
  const SmallMarian model({.ssru = true, .activation = "relu"});
  Case c;
  c.folder.write("model.bin", model.bin(true));
  c.folder.write("vocab.yml", small_vocabulary(11));
  c.import("model.bin");
  expect_scores(model.rounded(), c.folder / "imported", 0.2);
}

TEST(MarianModels, IntegersBesideFloatsAreTakenOver) {
  const SmallMarian model({.tie = SmallTie::none});
  Case c;
  c.folder.write("model.bin", model.bin(true, true));
  c.folder.write("vocab.yml", small_vocabulary(11));
  c.import("model.bin");
  EXPECT_TRUE(holds_int8(Safetensors(c.folder / "imported/model.safetensors")));
  expect_scores(model.rounded(), c.folder / "imported", 0.2);
}

TEST(MarianModels, FloatsAreNotMadeIntegers) {
  Case c;
  c.folder.write("model.npz", SmallMarian({}).npz());
  c.folder.write("vocab.yml", small_vocabulary(11));
  c.options.type = NumberType::int8;
  EXPECT_NE(c.refusal("model.npz").find("holds f32"), std::string::npos);
}

// Each option by its name, and no folder left.
TEST(MarianModels, WhatHeedLacksIsRefusedByName) {
  const auto refused = [](const SmallShape& shape, const std::string& option) {
    const Case c;
    c.folder.write("model.npz", SmallMarian(shape).npz());
    c.folder.write("vocab.yml", small_vocabulary(11));
    EXPECT_NE(c.refusal("model.npz").find(option), std::string::npos) << option << ": " << c.refusal("model.npz");
    EXPECT_FALSE(std::filesystem::exists(c.folder / "imported"));
  };
  const auto with = [](const std::string& options) { return SmallShape{.more_options = options}; };
  for (const std::string option :
       {"transformer-no-projection", "transformer-pool", "transformer-no-bias", "transformer-no-affine", "ulr",
        "right-left", "transformer-disable-position-embeddings", "transformer-rnn-projection"}) {
    refused(with(option + ": true\n"), option);
  }
  refused(with("lemma-dim-emb: 4\n"), "lemma-dim-emb");
  refused(with("transformer-attention-mask: alibi\n"), "transformer-attention-mask");
  refused(with("transformer-ffn-depth: 3\n"), "transformer-ffn-depth");
  refused({.activation = "silu"}, "transformer-ffn-activation");
  refused({.norm_before = true, .top_norm = true, .version = "v1.9.56 x"}, "before v1.10.28");
  refused({.norm_before = true}, "transformer-postprocess-top");
  refused({.tied_layers = {1}}, "transformer-tied-layers");
  refused({.heads = 3}, "heads");
}

TEST(MarianModels, TensorsMustFitTheSettings) {
  const auto refused = [](const SmallMarian& model, const std::string& what) {
    const Case c;
    c.folder.write("model.npz", model.npz());
    c.folder.write("vocab.yml", small_vocabulary(11));
    EXPECT_NE(c.refusal("model.npz").find(what), std::string::npos) << what << ": " << c.refusal("model.npz");
  };
  SmallMarian missing({});
  missing.tensors.erase("decoder_l2_context_bk");
  refused(missing, "'decoder_l2_context_bk' is missing");
  SmallMarian surplus({});
  surplus.tensors["encoder_l1_self_gate"] = surplus.tensors.at("Wemb");
  refused(surplus, "'encoder_l1_self_gate' belongs to something");
  SmallMarian other({});
  other.tensors["encoder_l2_ffn_W1"] = other.tensors.at("Wemb");
  refused(other, "'encoder_l2_ffn_W1' is 11 × 8");
  SmallMarian infinite({});
  infinite.tensors.at("Wemb").values[3] = std::nanf("");
  refused(infinite, "NaN");
}

}  // namespace
}  // namespace heed::interchange
