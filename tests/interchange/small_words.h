// Scores of models whose words are "w2", "w3" …, in the ids of the program that they come from.
#pragma once

#include <gtest/gtest.h>

#include "heed/translator.h"
#include "interchange/archive.h"
#include "interchange/import.h"
#include "interchange/small_marian.h"
#include "test_folder.h"

namespace heed::interchange {

inline const std::vector<std::vector<int>> small_sources{{2, 3, 4}, {5}, {10, 9, 8, 7, 6, 5}};
inline const std::vector<std::vector<int>> small_targets{{4, 3}, {2, 2, 6, 7}, {9}};

inline std::string small_words(const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "w" : " w") + std::to_string(id);
  return text;
}

inline std::vector<double> small_scores(const std::filesystem::path& folder) {
  std::vector<Line> lines;
  std::vector<std::string> translations;
  for (const auto& ids : small_sources) lines.push_back({small_words(ids)});
  for (const auto& ids : small_targets) translations.push_back(small_words(ids));
  std::vector<double> scores;
  for (const Translation& scored : Translator(folder, {.threads = 1}).rescore(lines, translations)) {
    scores.push_back(scored.log_probability);
  }
  return scores;
}

inline void expect_small_scores(const SmallMarian& model, const std::filesystem::path& folder, double tolerance) {
  const std::vector<double> scores = small_scores(folder);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i], model.score(small_sources[i], small_targets[i]), tolerance) << i;
  }
}

// Writes the files of a folder, under their names without folders.
inline std::filesystem::path write_small_files(const TestFolder& folder, const std::vector<ArchiveFile>& files) {
  static int made = 0;
  const std::filesystem::path package = folder / ("package" + std::to_string(++made));
  make_folder(package);
  for (const ArchiveFile& file : files) {
    write_file(package / std::filesystem::path(file.name).filename(), file.bytes);
  }
  return package;
}

inline std::filesystem::path import_small(const std::filesystem::path& path, const ImportOptions& options = {}) {
  ImportedModel model = import_model(path, options);
  std::filesystem::path folder = path;
  folder += "-imported";
  write_imported(folder, model);
  return folder;
}

inline ArchiveFile& small_file(std::vector<ArchiveFile>& files, const std::string& name) {
  for (ArchiveFile& file : files) {
    if (file.name == name) return file;
  }
  return files.emplace_back(ArchiveFile{name, ""});
}

inline void replace_in(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

}  // namespace heed::interchange
