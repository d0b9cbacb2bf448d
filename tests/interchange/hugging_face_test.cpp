// MarianMT folders give the scores of the Marian models that they are made of, in every form that heed imports.
#include "interchange/hugging_face.h"

#include "error_message.h"
#include "interchange/make_archive.h"
#include "interchange/small_peers.h"
#include "interchange/small_words.h"

namespace heed::interchange {
namespace {

// Hugging Face's layer norms add 1e-5 to the variance, Marian's 1e-6.
constexpr double tolerance = 2e-3;

using Files = std::vector<ArchiveFile>;

Files plain_folder() { return hugging_face_folder(SmallMarian({}), SmallForm::f32, SmallContainer::safetensors); }

std::string refusal(const Files& files) {
  const TestFolder folder;
  return error_message([&] { import_small(write_small_files(folder, files)); });
}

// The refusal of a folder whose config.json has another text.
std::string refusal(const std::string& from, const std::string& to) {
  Files files = plain_folder();
  replace_in(small_file(files, "config.json").bytes, from, to);
  return refusal(files);
}

void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(HuggingFace, EveryFormAndContainerGivesTheScores) {
  const TestFolder folder;
  for (const SmallForm form : {SmallForm::f32, SmallForm::f16, SmallForm::bf16}) {
    SCOPED_TRACE(static_cast<int>(form));
    const SmallMarian model = rounded_to(SmallMarian({}), form);
    for (const SmallContainer container : {SmallContainer::safetensors, SmallContainer::zip, SmallContainer::pickles}) {
      expect_small_scores(model, import_small(write_small_files(folder, hugging_face_folder(model, form, container))),
                          tolerance);
    }
  }
}

TEST(HuggingFace, EveryTyingGivesTheScores) {
  const TestFolder folder;
  for (const SmallTie tie : {SmallTie::all, SmallTie::target, SmallTie::embeddings, SmallTie::none}) {
    const SmallMarian model({.tie = tie, .activation = "relu", .decoder_d_ff = 20});
    const Files files = hugging_face_folder(model, SmallForm::f32, SmallContainer::safetensors);
    expect_small_scores(model, import_small(write_small_files(folder, files)), tolerance);
  }
}

TEST(HuggingFace, SettingsGoIntoTheConfig) {
  const TestFolder folder;
  const ImportedModel model = import_model(write_small_files(folder, plain_folder()), {});
  EXPECT_EQ(model.info.source_language, "en");
  EXPECT_EQ(model.info.target_language, "pt");
  EXPECT_EQ(model.info.licence, "cc-by-4.0");
  EXPECT_EQ(model.info.beam, 4);
  EXPECT_EQ(model.info.alpha, 0.5f);
  EXPECT_EQ(model.info.length_penalty, LengthPenalty::power);
  EXPECT_EQ(model.info.config.positions, Positions::halves);
  EXPECT_EQ(model.info.config.start, StartFrom::zero);
  EXPECT_EQ(model.info.config.layer_norm_epsilon, 1e-5f);
  // <pad> is left out, <s> is added.
  EXPECT_EQ(model.info.config.target_vocab, 12);
  EXPECT_EQ(model.tokenizers.source->id_of("<pad>"), 0);
  EXPECT_TRUE(model.notes.empty());
}

TEST(HuggingFace, WithoutATableThePositionsAreThePapers) {
  const TestFolder folder;
  const SmallMarian marian({});
  std::vector<SmallStored> tensors = hugging_face_tensors(marian, SmallForm::f32);
  std::erase_if(tensors, [](const SmallStored& tensor) { return tensor.name.ends_with("embed_positions.weight"); });
  Files files = plain_folder();
  small_file(files, "model.safetensors").bytes = make_safetensors(tensors);
  const ImportedModel model = import_model(write_small_files(folder, files), {});
  EXPECT_EQ(model.info.config.positions, Positions::halves_paper);
}

TEST(HuggingFace, ATrainedPadRowIsTheStartToken) {
  const TestFolder folder;
  std::vector<SmallStored> tensors = hugging_face_tensors(SmallMarian({}), SmallForm::f32);
  constexpr float trained = 0.25f;
  tensors[0].bytes.replace(tensors[0].bytes.size() - sizeof trained, sizeof trained,
                           std::string(reinterpret_cast<const char*>(&trained), sizeof trained));
  Files files = plain_folder();
  small_file(files, "model.safetensors").bytes = make_safetensors(tensors);
  const ImportedModel model = import_model(write_small_files(folder, files), {});
  EXPECT_EQ(model.info.config.start, StartFrom::token);
  const auto d_model = static_cast<std::size_t>(model.info.config.d_model);
  EXPECT_EQ(model.weights[2 * d_model - 1], trained);  // row 1, <s>, of the embedding, which comes first
}

TEST(HuggingFace, AZipOfTheFolderIsOne) {
  const TestFolder folder;
  const auto path = folder.write("model.zip", make_archive(plain_folder(), Packing::zip));
  EXPECT_EQ(import_model(path, {}).info.source_language, "en");
}

TEST(HuggingFace, WeightsCanBePassedThemselves) {
  const TestFolder folder;
  for (const SmallContainer container : {SmallContainer::safetensors, SmallContainer::zip, SmallContainer::pickles}) {
    const Files files = hugging_face_folder(SmallMarian({}), SmallForm::f32, container);
    EXPECT_EQ(import_model(write_small_files(folder, files) / files.back().name, {}).info.source_language, "en");
  }
}

TEST(HuggingFace, WhatCannotBeRepresentedIsRefusedByName) {
  expect_part(refusal("\"marian\"", "\"bart\""), "model_type is \"bart\"");
  expect_part(refusal("\"swish\"", "\"tanh\""), "activation_function is \"tanh\"");
  expect_part(refusal("\"decoder_attention_heads\": 2", "\"decoder_attention_heads\": 4"),
              "decoder_attention_heads is 4");
  expect_part(refusal("\"d_model\"", "\"normalize_before\": true, \"d_model\""), "normalize_before is true");
  expect_part(refusal("\"d_model\"", "\"quantization_config\": {}, \"d_model\""), "quantization_config is {}");
  expect_part(refusal("\"d_model\"", "\"forced_bos_token_id\": 3, \"d_model\""), "forced_bos_token_id is 3");
  expect_part(refusal("[[11]]", "[[11], [4]]"), "bad_words_ids is [[11],[4]]");
  expect_part(refusal("\"eos_token_id\": 0", "\"eos_token_id\": 5"), "eos_token_id is 5");
  expect_part(refusal("\"decoder_start_token_id\": 11", "\"decoder_start_token_id\": 99"),
              "decoder_start_token_id is 99");
  expect_part(refusal("\"vocab_size\": 12", "\"vocab_size\": 13"), "vocab_size is 13");
  expect_part(refusal("\"d_model\": 8", "\"d_model\": 16"), "make it");
  expect_part(refusal("\"encoder_layers\": 2", "\"encoder_layers\": 1"),
              "belongs to something that heed does not have");
  expect_part(refusal("\"encoder_layers\": 2", "\"encoder_layers\": \"2\""),
              "encoder_layers is \"2\", not a whole number");
}

TEST(HuggingFace, SearchSettingsThatHeedLacksAreTold) {
  const TestFolder folder;
  Files files = plain_folder();
  small_file(files, "generation_config.json").bytes = R"({"no_repeat_ngram_size": 3, "repetition_penalty": 1.2})";
  const ImportedModel model = import_model(write_small_files(folder, files), {});
  ASSERT_EQ(model.notes.size(), 2u);
  expect_part(model.notes[0], "no_repeat_ngram_size");
  expect_part(model.notes[1], "repetition_penalty");
  EXPECT_EQ(model.info.beam, 6);  // of config.json
  EXPECT_EQ(model.info.alpha, 1.0f);
}

TEST(HuggingFace, DamagedFoldersAreRefused) {
  Files files = plain_folder();
  small_file(files, "config.json").bytes = "{";
  expect_part(refusal(files), "not a JSON object");
  files = plain_folder();
  small_file(files, "model.safetensors").bytes.resize(500);
  expect_part(refusal(files), "'");
  files = plain_folder();
  std::erase_if(files, [](const ArchiveFile& file) { return file.name == "source.spm"; });
  expect_part(refusal(files), "source.spm");
  files = plain_folder();
  std::erase_if(files, [](const ArchiveFile& file) { return file.name == "vocab.json"; });
  expect_part(refusal(files), "vocab.json");
  files = plain_folder();
  std::erase_if(files, [](const ArchiveFile& file) { return file.name == "model.safetensors"; });
  expect_part(refusal(files), "there is no model.safetensors and no pytorch_model.bin");
  files.push_back({"model.safetensors.index.json", "{}"});
  expect_part(refusal(files), "split into several files");
  files = plain_folder();
  small_file(files, "model.safetensors").bytes = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n";
  expect_part(refusal(files), "this is a Git LFS pointer");
}

}  // namespace
}  // namespace heed::interchange
