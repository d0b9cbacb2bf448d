// Packages of models: folders, archives, and what is found in them.
#include "interchange/package.h"

#include <gtest/gtest.h>

#include "error_message.h"
#include "heed/translator.h"
#include "interchange/import.h"
#include "interchange/small_packages.h"
#include "test_folder.h"

namespace heed::interchange {
namespace {

namespace fs = std::filesystem;

void write_files(const TestFolder& folder, const std::vector<ArchiveFile>& files) {
  make_folder(folder / "package");
  for (const ArchiveFile& file : files) {
    write_file(folder / "package" / fs::path(file.name).filename(), file.bytes);
  }
}

void expect_firefox(const fs::path& path) {
  const ImportedModel model = import_model(path, {});
  EXPECT_EQ(model.info.source_language, "en");
  EXPECT_EQ(model.info.target_language, "pt");
  EXPECT_EQ(model.info.beam, 2);
  EXPECT_EQ(model.info.alpha, 1.0f);
  EXPECT_EQ(model.info.length_penalty, LengthPenalty::power);
  EXPECT_EQ(model.info.origin, "Marian v1.12.43, model.enpt.intgemm.alphas.bin");
  EXPECT_TRUE(model.integers.has_value());
  EXPECT_EQ(model.tokenizers.source, model.tokenizers.target);
  EXPECT_EQ(model.tokenizers.source->size(), 10);
  EXPECT_TRUE(model.notes.empty());
  ASSERT_TRUE(model.shortlist.has_value());
  EXPECT_EQ(model.shortlist->always.size(), 9u);
}

TEST(Packages, AFolder) {
  const TestFolder folder;
  write_files(folder, firefox_package());
  expect_firefox(folder / "package");
}

TEST(Packages, ArchivesOfEveryKind) {
  const TestFolder folder;
  for (const Packing packing : {Packing::zip, Packing::tar, Packing::tar_gz}) {
    expect_firefox(folder.write("package.any", make_archive(firefox_package(), packing)));
  }
}

TEST(Packages, FilesThatAreEachCompressed) {
  const TestFolder folder;
  std::vector<ArchiveFile> files = firefox_package();
  for (ArchiveFile& file : files) file = {file.name + ".gz", make_archive({file}, Packing::gz)};
  write_files(folder, files);
  expect_firefox(folder / "package");
  expect_firefox(folder / "package/model.enpt.intgemm.alphas.bin.gz");
}

TEST(Packages, WithoutSettingsStudentsAreGreedy) {
  const TestFolder folder;
  std::vector<ArchiveFile> files = firefox_package();
  files.pop_back();
  write_files(folder, files);
  const ImportedModel model = import_model(folder / "package", {});
  EXPECT_EQ(model.info.beam, 1);
  EXPECT_EQ(model.info.alpha, 1.0f);
  EXPECT_EQ(model.info.max_source_length, 128);
}

TEST(Packages, AVocabularyForEachSide) {
  const SmallMarian model({.tie = SmallTie::target, .ssru = true, .source_vocab = 9, .target_vocab = 10});
  const TestFolder folder;
  write_files(folder, {{"model.enko.intgemm.alphas.bin", model.bin(true)},
                       {"srcvocab.enko.spm", small_vocab_spm()},
                       {"trgvocab.enko.spm", small_vocab_spm() + piece_field("e", -9.0f, PieceKind::normal)}});
  const ImportedModel imported = import_model(folder / "package", {});
  EXPECT_EQ(imported.info.target_language, "ko");
  EXPECT_EQ(imported.tokenizers.source->size(), 10);
  EXPECT_EQ(imported.tokenizers.target->size(), 11);
  EXPECT_EQ(imported.tokenizers.target->piece(10), "e");
}

TEST(Packages, SettingsThatMakeNoSenseAreRefused) {
  const auto message = [](const std::string& settings) {
    const TestFolder folder;
    std::vector<ArchiveFile> files = opus_package();
    files[4].bytes += settings;
    if (settings.starts_with("beam")) files[4].bytes = settings;
    write_files(folder, files);
    return error_message([&] { import_model(folder / "package", {}); });
  };
  EXPECT_EQ(message("max-length-break: 200\n"), "");
  EXPECT_NE(message("max-length-break: -1\n").find("max-length-break is '-1'"), std::string::npos);
  EXPECT_NE(message("max-length-break: many\n").find("not a whole number"), std::string::npos);
  EXPECT_NE(message("beam-size: 0\n").find("beam-size is '0'"), std::string::npos);
  EXPECT_NE(message("beam-size: 1\nnormalize: -1\n").find("normalize is '-1'"), std::string::npos);
  EXPECT_NE(message("beam-size: [1, 2]\n").find("not a single value"), std::string::npos);
  EXPECT_NE(message("beam-size: [1\n").find("not YAML"), std::string::npos);
}

TEST(Packages, SettingsOfAnotherModelAreNotThisOnes) {
  const TestFolder folder;
  std::vector<ArchiveFile> files = opus_package();
  files.push_back({"other.npz", files[0].bytes});
  write_files(folder, files);
  EXPECT_EQ(import_model(folder / "package/opus.npz", {}).info.beam, 6);
  EXPECT_EQ(import_model(folder / "package/other.npz", {}).info.beam, SearchOptions().beam);
}

TEST(Packages, AnImportedPackageTranslates) {
  const TestFolder folder;
  write_files(folder, firefox_package());
  ImportedModel model = import_model(folder / "package", {.source_language = "de"});
  write_imported(folder / "model", model);
  const Translator translator(folder / "model", {.threads = 1});
  EXPECT_EQ(translator.source_language(), "de");
  EXPECT_NE(translator.translate("ab c").log_probability, 0.0);
}

TEST(Packages, TwoLevelVocabularies) {
  const TestFolder folder;
  ImportedModel model = import_model(folder.write("opus.zip", make_archive(opus_package(), Packing::zip)), {});
  EXPECT_EQ(model.info.licence, "Attribution 4.0 International");
  EXPECT_EQ(model.info.beam, 6);
  // 12 rows, <s>, and the piece b, which the vocabulary lacks.
  EXPECT_EQ(model.info.config.source_vocab, 14);
  const Tokenizer& tokenizer = *model.tokenizers.source;
  EXPECT_EQ(tokenizer.pieces(tokenizer.encode(">>fra<< abb c")),
            (std::vector<std::string>{">>fra<<", "\u2581", "ab", "b", "\u2581", "c"}));
  write_imported(folder / "model", model);
  const ModelInfo info = read_info(folder / "model");
  EXPECT_EQ(info.licence, "Attribution 4.0 International");
  const Translator translator(folder / "model", {.threads = 1});
  // In Marian's ids: ▁ a d </s>, and ▁ c </s>; then the same with the unknown piece as <unk>.
  const SmallMarian marian({.source_vocab = 12, .target_vocab = 12});
  const std::vector<Line> lines{{"ad"}, {"b"}, {">>fra<< ad"}};
  const std::vector<std::string> targets{"c", "c", "c"};
  const auto scored = translator.rescore(lines, targets);
  EXPECT_NEAR(scored[0].log_probability, marian.score({2, 3, 6}, {2, 7}), 1e-4);
  EXPECT_NEAR(scored[1].log_probability, marian.score({2, 1}, {2, 7}), 1e-4);
  EXPECT_NEAR(scored[2].log_probability, marian.score({9, 2, 3, 6}, {2, 7}), 1e-4);
}

TEST(Packages, SettingsNameNothingOutside) {
  const TestFolder folder;
  std::vector<ArchiveFile> files = opus_package();
  folder.write("secret.yml", small_vocabulary(12));
  files[4].bytes = "models:\n  - opus.npz\nvocabs:\n  - ../secret.yml\n  - ../secret.yml\n";
  write_files(folder, files);
  const ImportedModel model = import_model(folder / "package", {});
  EXPECT_NE(model.tokenizers.source->id_of(">>fra<<"), 0) << "the vocabulary of the package itself";
}

TEST(Packages, WhatIsMissingOrAmbiguousIsNamed) {
  const auto message = [](std::vector<ArchiveFile> files, const ImportOptions& options = {}) {
    const TestFolder folder;
    write_files(folder, files);
    return error_message([&] { import_model(folder / "package", options); });
  };
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  std::vector<ArchiveFile> files = opus_package();
  files[4].bytes = "models: [a.npz, b.npz]\n";
  expect(message(files), "ensemble");
  files = {files[0], {"other.npz", files[0].bytes}, files[1]};
  expect(message(files), "there are 2 models");
  expect(message({{"config.json", "{}"}}), "no Marian model");
  expect(message({{"m.npz", files[0].bytes}}), "--vocab");
  expect(message({{"m.npz", files[0].bytes}, {"vocab.yml", small_vocabulary(13)}}), "13 tokens");
  expect(message({{"m.npz", files[0].bytes}, {"vocab.yml", small_vocabulary(11) + "\"a b\": 11\n"}}), "white space");
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  expect(message({{"m.npz", pointer}}), "Git LFS");
  const TestFolder folder;
  const fs::path lfs = folder.write("m.npz", pointer);
  expect(error_message([&] { import_model(lfs, {}); }), "Git LFS");
  const fs::path text = folder.write("m.txt", "nothing\n");
  expect(error_message([&] { import_model(text, {}); }), "not a model that heed knows");
  expect(error_message([&] { import_model(folder / "nowhere", {}); }), "does not exist");
}

TEST(Packages, OneMatrixNeedsOneVocabulary) {
  const TestFolder folder;
  const fs::path model = folder.write("m.npz", SmallMarian({}).npz());
  std::string other = small_vocabulary(11);
  other.replace(other.find("w5"), 2, "W5");
  ImportOptions options;
  options.vocabularies = {folder.write("a", small_vocabulary(11)), folder.write("b", other)};
  EXPECT_NE(error_message([&] { import_model(model, options); }).find("differ in 'w5'"), std::string::npos);
}

TEST(ImportedFolders, AnExistingFolderIsLeftAlone) {
  const TestFolder folder;
  write_files(folder, opus_package());
  ImportedModel model = import_model(folder / "package", {});
  make_folder(folder / "model");
  EXPECT_NE(error_message([&] { write_imported(folder / "model", model); }).find("already exists"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder / "model"));
  write_imported(folder / "new/deep/model/", model);
  EXPECT_TRUE(fs::exists(folder / "new/deep/model/model.safetensors"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "new/deep"), {}), 1) << "nothing temporary is left";
}

}  // namespace
}  // namespace heed::interchange
