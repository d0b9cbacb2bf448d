#include "decoding/translator.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "decoding/cut.h"
#include "decoding/model_folder.h"
#include "test_folder.h"
#include "heed/error.h"
#include "kernels/numbers.h"
#include "model/cases.h"

namespace heed {
namespace {

using Lines = std::vector<std::string>;

// A random model over a small vocabulary of words.
struct Case {
  explicit Case(Config config = small_config(), TokenizerOptions options = {.kind = TokenizerKind::space}) {
    const Lines text{"a b c d e f g h . ! ? 0 1 2 3 4 5 6 7 8 9"};
    const auto tokenizer = train_tokenizer(options, text);
    tokenizers = {tokenizer, tokenizer};
    config.source_vocab = config.target_vocab = tokenizer->size();
    model.emplace(config, Purpose::inference);
    set_values(*model, formula_parameters(config));
    model->pack(workspace);
  }

  std::vector<std::vector<Translation>> translate(const Lines& lines, const TranslatorOptions& options = {}) {
    std::vector<std::vector<Translation>> all;
    Translator(*model, tokenizers, options, workspace)
        .translate(
            lines,
            [&](Index line, const std::vector<Translation>& translations) {
              EXPECT_EQ(line, static_cast<Index>(all.size())) << "in order";
              all.push_back(translations);
            },
            [&](Index line, const std::string& note) { notes.push_back(std::to_string(line) + " " + note); });
    EXPECT_EQ(all.size(), lines.size());
    return all;
  }
  std::string text(const std::string& line, const TranslatorOptions& options = {}) {
    return translate({line}, options).at(0).at(0).text;
  }

  ThreadPool pool{1};
  Arena arena;
  Workspace workspace{pool, arena};
  TokenizerPair tokenizers;
  std::optional<Transformer> model;
  Lines notes;
};

TEST(Translator, EveryLineComesBackInOrderWhateverItHolds) {
  Case c;
  const Lines lines{"a b c",
                    "",
                    "e f g h a b c d . ! ?",
                    "\r",
                    "  \t ",
                    "\xff\xfe",
                    std::string("a\0b", 3),
                    "\u2028",
                    "\u3000\u00a0",
                    "a\rb",
                    "zzz",
                    "a"};
  const auto all = c.translate(lines, {.search = {.batch = 2}});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool blank = i == 1 || i == 3 || i == 4 || i == 7 || i == 8;
    ASSERT_EQ(all[i].size(), 1u) << i;
    EXPECT_EQ(all[i][0].text.empty(), blank) << i;
    EXPECT_EQ(all[i][0].score == 0.0, blank) << i;
    EXPECT_EQ(all[i][0].text, c.text(lines[i])) << i << ": the same alone";
  }
}

TEST(Translator, NoLinesAreNoLines) {
  Case c;
  EXPECT_TRUE(c.translate({}).empty());
  EXPECT_EQ(c.translate({"", ""}).size(), 2u);
}

TEST(Translator, InvalidBytesCountAsTheReplacementCharacter) {
  Case c(small_config(), {.normalization = Normalization::identity, .vocab_size = 300});
  const auto score = [&](const std::string& line) { return c.translate({line}).at(0).at(0).score; };
  EXPECT_EQ(score("a \xff b"), score("a \ufffd b"));
  EXPECT_NE(score("a \xff b"), score("a b"));
}

TEST(Translator, TheTextIsThatOfTheSearch) {
  Case c;
  std::vector<int> source = c.tokenizers.source->encode("a b c");
  source.push_back(end_token);
  BatchBuilder builder;
  builder.add(source, {});
  const SearchOptions options{.beam = 3, .n_best = 3};
  const std::vector<Hypothesis> want = search(*c.model, builder.batch().source, options, c.workspace).at(0);
  const std::vector<Translation> got = c.translate({"a b c"}, {.search = options}).at(0);
  ASSERT_EQ(got.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(got[i].text, c.tokenizers.target->decode(want[i].tokens));
    EXPECT_EQ(got[i].log_probability, want[i].log_probability);
    EXPECT_EQ(got[i].score, want[i].score);
  }
}

TEST(Translator, LongLinesAreTranslatedInPartsAndJoined) {
  Case c;
  const TranslatorOptions options{.search = {.n_best = 2}, .longest_part = 4};
  const auto whole = c.translate({"a b c . d e f ."}, options).at(0);
  EXPECT_EQ(c.notes.at(0), "0 is longer than 4 pieces and is translated in 2 parts");
  const auto parts = c.translate({"a b c .", "d e f ."}, options);
  ASSERT_EQ(whole.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(whole[i].text, parts[0][i].text + " " + parts[1][i].text);
    EXPECT_DOUBLE_EQ(whole[i].log_probability, parts[0][i].log_probability + parts[1][i].log_probability);
  }
}

TEST(Translator, ALineOfAnyLengthFitsLearnedPositions) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 6;
  Case c(config, {.vocab_size = 300});
  std::string line;
  for (int i = 0; i < 100; ++i) line += "\U0001f600abc";
  EXPECT_FALSE(c.text(line).empty());
}

TEST(Translator, ATranslationThatReachesTheLimitIsNoted) {
  Config config = small_config();
  config.output_bias = true;
  Case c(config);
  for (const Tensor& t : list_tensors(c.model->config())) {
    if (t.name == "output.bias") c.model->values()[static_cast<std::size_t>(t.offset + end_token)] = -1000.0f;
  }
  c.model->pack(c.workspace);
  c.translate({"", "a"});
  EXPECT_EQ(c.notes, Lines{"1 has a translation that was ended at the length limit and may repeat itself"});
}

TEST(Translator, ATranslationNeverHoldsALineBreak) {
  Config config = small_config();
  config.output_bias = true;
  Case c(config, {.vocab_size = 300});
  const int line_feed = c.tokenizers.target->id_of("<0x0A>");
  ASSERT_GT(line_feed, 0);
  for (const Tensor& t : list_tensors(c.model->config())) {
    if (t.name == "output.bias") c.model->values()[static_cast<std::size_t>(t.offset + line_feed)] = 1000.0f;
  }
  c.model->pack(c.workspace);
  EXPECT_EQ(c.text("a", {.search = {.extra_length = 1}}).find('\n'), std::string::npos);
  EXPECT_NE(c.text("a", {.search = {.extra_length = 1}, .pieces = true}).find("<0x0A> <0x0A>"), std::string::npos);
}

TEST(Translator, CutsAtSentenceEndsThenSpacesThenAnywhere) {
  EXPECT_EQ(cut_position("one two. three four"), 8u);
  EXPECT_EQ(cut_position("one two three four"), 7u);
  EXPECT_EQ(cut_position("3.14159265358979"), 8u);
  EXPECT_EQ(cut_position("abcde\u3002fghij"), 8u);
  EXPECT_EQ(cut_position("\u3042\u3044\u3046"), 3u);
  EXPECT_EQ(cut_position("\U0001f600"), 0u);
  EXPECT_EQ(cut_position("x"), 0u);
  EXPECT_EQ(cut_position(""), 0u);
}

TEST(ModelFolder, TranslatesAsTheModelThatWasSaved) {
  Case c;
  const TestFolder folder;
  write_info(folder.path(), {c.model->config(), "en", "ko"});
  save_tokenizers(c.tokenizers, folder.path());
  write_weights(folder / "model.safetensors", c.model->config(), {{"", c.model->values()}}, {});
  const ModelFolder loaded = load_model_folder(folder.path(), "", c.workspace);
  EXPECT_EQ(loaded.info.target_language, "ko");
  std::string got;
  Translator(*loaded.model, loaded.tokenizers, {}, c.workspace)
      .translate(
          Lines{"a b c"}, [&](Index, const std::vector<Translation>& t) { got = t.at(0).text; },
          [](Index, const std::string&) {});
  EXPECT_EQ(got, c.text("a b c"));

  const Lines fewer{"a b"};
  const auto other = train_tokenizer({.kind = TokenizerKind::space}, fewer);
  save_tokenizers({other, other}, folder.path());
  try {
    load_model_folder(folder.path(), "", c.workspace);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("source tokenizer has 5 pieces"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed
