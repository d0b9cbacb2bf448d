// CTranslate2's folders give the scores of the Marian models that they are made of, in every version.
#include "interchange/ctranslate2.h"

#include "error_message.h"
#include "interchange/ctranslate2_file.h"
#include "interchange/make_archive.h"
#include "interchange/small_peers.h"
#include "interchange/small_words.h"
#include "model/parameters.h"

namespace heed::interchange {
namespace {

using Files = std::vector<ArchiveFile>;

std::string refusal(const Files& files) {
  const TestFolder folder;
  return error_message([&] { import_small(write_small_files(folder, files)); });
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Ctranslate2, EveryVersionGivesTheScores) {
  const TestFolder folder;
  for (const SmallTie tie : {SmallTie::all, SmallTie::target, SmallTie::embeddings, SmallTie::none}) {
    const SmallMarian model({.tie = tie});
    for (const std::uint32_t version : {2u, 3u, 4u, 5u, 6u}) {
      const auto imported = import_small(write_small_files(folder, ctranslate2_folder(model, {.version = version})));
      // Before there was config.json, layer norms always added 1e-5 to the variance; Marian's add 1e-6.
      expect_small_scores(model, imported, version == 6 ? 1e-4 : 2e-3);
    }
  }
}

TEST(Ctranslate2, TheNormBeforeGivesTheScores) {
  const TestFolder folder;
  const SmallMarian model({.norm_before = true, .top_norm = true, .activation = "relu"});
  expect_small_scores(model, import_small(write_small_files(folder, ctranslate2_folder(model, {}))), 1e-4);
}

TEST(Ctranslate2, TyingIsRecognised) {
  const TestFolder folder;
  const std::pair<SmallTie, Tie> ties[] = {{SmallTie::all, Tie::all},
                                           {SmallTie::target, Tie::target},
                                           {SmallTie::embeddings, Tie::embeddings},
                                           {SmallTie::none, Tie::none}};
  for (const auto& [small, tie] : ties) {
    for (const std::uint32_t version : {2u, 6u}) {
      const Files files = ctranslate2_folder(SmallMarian({.tie = small}), {.version = version});
      EXPECT_EQ(import_model(write_small_files(folder, files), {}).info.config.tie, tie);
    }
  }
}

TEST(Ctranslate2, SixteenBitIntegersBecomeF32) {
  const TestFolder folder;
  const SmallMarian model({});
  const auto path = write_small_files(folder, ctranslate2_folder(model, {.numbers = SmallNumbers::int16}));
  expect_small_scores(model, import_small(path), 0.05);
  const ImportedModel imported = import_model(path, {});
  EXPECT_FALSE(imported.integers.has_value());
  ASSERT_EQ(imported.notes.size(), 1u);
  expect_part(imported.notes[0], "16-bit");
}

TEST(Ctranslate2, EightBitIntegersAreTakenOver) {
  const TestFolder folder;
  const SmallMarian model({});
  const std::string bytes = ctranslate2_model(model, {.numbers = SmallNumbers::int8});
  const auto path = write_small_files(folder, ctranslate2_folder(model, {.numbers = SmallNumbers::int8}));
  const ImportedModel imported = import_model(path, {});
  ASSERT_TRUE(imported.integers.has_value());
  const StoredTensors variables = read_ctranslate2_file(bytes, "file").variables;
  for (const Tensor& tensor : layout_of(imported.info.config).tensors) {
    if (!tensor.name.ends_with("inner.weight")) continue;
    const StoredTensor& stored = variables.at(ctranslate2_place(tensor.name).name);
    for (Index i = 0; i < tensor.size(); ++i) {
      ASSERT_EQ(imported.integers->values[static_cast<std::size_t>(tensor.offset + i)], stored.integer(i));
    }
  }
  expect_small_scores(model, import_small(path, {.type = NumberType::f32}), 0.3);
}

TEST(Ctranslate2, WithoutATablePositionsStartAtOne) {
  const TestFolder folder;
  const Files files = ctranslate2_folder(SmallMarian({}), {.table = false});
  const Config config = import_model(write_small_files(folder, files), {}).info.config;
  EXPECT_EQ(config.positions, Positions::halves);
  EXPECT_EQ(config.position_start, 1);
}

TEST(Ctranslate2, SourcesWithoutAnEnd) {
  const TestFolder folder;
  const SmallMarian model({});
  for (const std::uint32_t version : {5u, 6u}) {
    const Files files = ctranslate2_folder(model, {.version = version, .source_end = false});
    const auto imported = import_small(write_small_files(folder, files));
    EXPECT_FALSE(read_info(imported).source_end);
    // Other numbers than with </s>, and a blank line is scored all the same.
    EXPECT_GT(std::abs(small_scores(imported)[0] - model.score(small_sources[0], small_targets[0])), 1e-3);
    Translator translator(imported, {.threads = 1});
    const std::vector<Line> blank{{""}};
    const std::vector<std::string> word{"w2"};
    EXPECT_TRUE(std::isfinite(translator.rescore(blank, word)[0].log_probability));
    EXPECT_EQ(translator.translate("").text, "");
    EXPECT_FALSE(translator.translate("w2 w3", {.alignment = true}).pieces.empty());
  }
}

TEST(Ctranslate2, AnotherStartTokenIsCopied) {
  const TestFolder folder;
  std::string bin = ctranslate2_model(SmallMarian({}), {});
  const std::string name = "decoder/start_from_zero_embedding";
  bin[bin.find(name) + name.size() + 1 + 1 + 1 + 4] = 0;  // NUL, rank, type, size
  Files files = ctranslate2_folder(SmallMarian({}), {});
  small_file(files, "model.bin").bytes = bin;
  const ImportedModel model = import_model(write_small_files(folder, files), {});
  EXPECT_EQ(model.info.config.start, StartFrom::token);
  const auto d = static_cast<std::size_t>(model.info.config.d_model);
  // <s> is 1 and </s>, with which the decoder starts, 2.
  for (std::size_t i = 0; i < d; ++i) EXPECT_EQ(model.weights[d + i], model.weights[2 * d + i]);
  replace_in(small_file(files, "config.json").bytes, "\"</s>\",\n \"decoder_start_token\": \"</s>\"",
             "\"</s>\",\n \"decoder_start_token\": null");
  expect_part(refusal(files), "decoder_start_token is left to the caller");
}

TEST(Ctranslate2, ArgosPackages) {
  const TestFolder folder;
  Files files;
  for (const ArchiveFile& file : ctranslate2_folder(SmallMarian({}), {.version = 5})) {
    files.push_back({(file.name == "sentencepiece.model" ? "en_pt/" : "en_pt/model/") + file.name, file.bytes});
  }
  files.push_back({"en_pt/metadata.json", R"({"from_code": "en", "to_code": "pt", "package_version": "1.9"})"});
  files.push_back({"en_pt/stanza/en/forward/1.pt", "x"});
  files.push_back({"en_pt/stanza/en/backward/1.pt", "y"});
  const auto path = folder.write("package.argosmodel", make_archive(files, Packing::zip));
  const ImportedModel model = import_model(path, {});
  EXPECT_EQ(model.info.source_language, "en");
  EXPECT_EQ(model.info.target_language, "pt");
  EXPECT_EQ(model.info.origin, "Argos package 1.9, CTranslate2, binary version 5");
  expect_small_scores(SmallMarian({}), import_small(path), 2e-3);
}

TEST(Ctranslate2, WithoutASentencePieceModelTextIsSplitAtSpaces) {
  const TestFolder folder;
  Files files = ctranslate2_folder(SmallMarian({}), {});
  std::erase_if(files, [](const ArchiveFile& file) { return file.name == "sentencepiece.model"; });
  const ImportedModel model = import_model(write_small_files(folder, files), {});
  EXPECT_EQ(model.tokenizers.source->kind(), TokenizerKind::space);
  files.push_back({"bpe.model", "#version: 0.2\na b\n"});
  expect_part(refusal(files), "bpe.model': not a SentencePiece model");
}

TEST(Ctranslate2, WhatCannotBeRepresentedIsRefusedByName) {
  const auto with_config = [](const std::string& from, const std::string& to) {
    Files files = ctranslate2_folder(SmallMarian({}), {});
    replace_in(small_file(files, "config.json").bytes, from, to);
    return refusal(files);
  };
  expect_part(with_config("\"add_source_bos\": false", "\"add_source_bos\": true"), "add_source_bos is true");
  expect_part(with_config("\"add_source_bos\"", "\"quantization_type\": 1, \"add_source_bos\""),
              "quantization_type is 1");
  const auto with_model = [](const std::string& from, const std::string& to) {
    Files files = ctranslate2_folder(SmallMarian({}), {});
    replace_in(small_file(files, "model.bin").bytes, from, to);
    return refusal(files);
  };
  expect_part(with_model("TransformerSpec", "WhisperSpecXYZ_"), "its specification is WhisperSpecXYZ_");
  expect_part(with_model("encoder/scale_embeddings", "encoder/scale_embeddingX"),
              "'encoder/scale_embeddingX' belongs to something that heed does not have");
  expect_part(with_model(std::string("\6\0\0\0", 4), std::string("\7\0\0\0", 4)), "binary version 7");
  expect_part(with_model(std::string("\6\0\0\0", 4), std::string("\1\0\0\0", 4)), "binary version 1");
}

TEST(Ctranslate2, DamagedFilesAreRefused) {
  const std::string bytes = ctranslate2_model(SmallMarian({}), {.numbers = SmallNumbers::int8});
  for (const std::size_t size : {0u, 4u, 5u, 20u, 40u, 200u, 2000u}) {
    EXPECT_FALSE(error_message([&] { read_ctranslate2_file(bytes.substr(0, size), "file"); }).empty()) << size;
  }
  expect_part(error_message([&] { read_ctranslate2_file(bytes + "x", "file"); }), "more in it");
  Files files = ctranslate2_folder(SmallMarian({}), {});
  small_file(files, "shared_vocabulary.json").bytes = "[\"</s>\", \"<unk>\", \"</s>\"]";
  expect_part(refusal(files), "the token '</s>' is there twice");
  small_file(files, "shared_vocabulary.json").bytes = "[\"</s>\", 3]";
  expect_part(refusal(files), "not a JSON list of tokens");
  small_file(files, "shared_vocabulary.json").bytes = "[\"<unk>\"]";
  expect_part(refusal(files), "there is no </s> in it");
  std::erase_if(files, [](const ArchiveFile& file) { return file.name == "shared_vocabulary.json"; });
  expect_part(refusal(files), "--vocab");
}

}  // namespace
}  // namespace heed::interchange
