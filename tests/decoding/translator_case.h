// A random model over a small vocabulary of words, in its own folder.
#pragma once

#include <optional>

#include "decoding/search.h"
#include "heed/translator.h"
#include "model/cases.h"
#include "test_folder.h"
#include "text/tokenizer_files.h"

namespace heed {

using Texts = std::vector<std::string>;
using Translations = std::vector<std::vector<Translation>>;

struct TranslatorCase {
  explicit TranslatorCase(Config config = small_config(), TokenizerOptions options = {.kind = TokenizerKind::space});

  // The config has an output bias.
  void set_output_bias(int token, float value);
  // Different weights of the same shape.
  void turn_weights(float factor);

  // The current model, written and loaded.
  Translator load(const ModelOptions& options = {.threads = 1}) const;
  void write(const std::filesystem::path& to) const;

  // With a translator that is loaded on the first call.
  Translations translate(const Texts& texts, const SearchOptions& options = {});
  std::string text(const std::string& line, const SearchOptions& options = {}) {
    return translate({line}, options).at(0).at(0).text;
  }

  ThreadPool pool{1};
  Arena arena{std::size_t{256} << 20};
  Workspace workspace{pool, arena};
  TestFolder folder;
  TokenizerPair tokenizers;
  std::optional<Transformer> model;
  Index max_source_length = 0;  // that the model records
  SearchOptions recorded;       // likewise: its beam, alpha and length penalty
  ModelOptions options{.threads = 1};
  std::optional<Translator> translator;
  Texts notes;
};

// Checks that lines come in order.
Translations translate(const Translator& translator, const std::vector<Line>& lines, const SearchOptions& options,
                       Texts& notes);
std::vector<Line> lines_of(const Texts& texts);
void expect_same_bits(const Translations& a, const Translations& b, const std::string& what);

}  // namespace heed
