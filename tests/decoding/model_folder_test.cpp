// Models as a Translator loads them: number types, damage, ensembles; and rescoring.
#include "decoding/model_folder.h"

#include <functional>
#include <numeric>

#include "base/files.h"
#include "decoding/job.h"
#include "decoding/line_codec.h"
#include "decoding/steps_of.h"
#include "decoding/translator_case.h"
#include "error_message.h"
#include "heed/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const Texts lines{"a b c", "d e f g h . ! ? 0 1 2 3", "", "7 7 7 7", "zzz a"};

// A folder with the same model in 8-bit integers.
void write_int8(TranslatorCase& c, const std::filesystem::path& to) {
  c.write(to);
  Int8Weights weights = quantize(c.model->config(), c.model->values());
  write_int8_weights(to / "model.safetensors", c.model->config(), weights, {});
}

TEST(ModelFolder, TranslatesAsTheModelThatWasSaved) {
  TranslatorCase c;
  c.write(c.folder.path());
  const ModelFolder loaded = load_model_folder(c.folder.path(), {}, c.workspace);
  EXPECT_EQ(loaded.info.target_language, "ko");
  const auto text = [&](const Transformer& model, const TokenizerPair& tokenizers) {
    const StepsOf models{&model};
    const Line line{"a b c"};
    const LineCodec codec(tokenizers, models);
    return translate_lines(models, codec, std::span(&line, 1), {}, 1, c.workspace).at(0).at(0).text;
  };
  EXPECT_EQ(text(*loaded.model, loaded.tokenizers), text(*c.model, c.tokenizers));
  EXPECT_FALSE(text(*c.model, c.tokenizers).empty());

  const Texts fewer{"a b"};
  const auto other = train_tokenizer({.kind = TokenizerKind::space}, fewer);
  save_tokenizers({other, other}, c.folder.path());
  try {
    load_model_folder(c.folder.path(), {}, c.workspace);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("source tokenizer has 5 pieces"), std::string::npos) << error.what();
  }
}

TEST(ModelFolder, ATokenizerOfTheSameSizeButAnotherVocabularyIsRefused) {
  TranslatorCase c;
  c.write(c.folder.path());
  Texts words{"q r s t u v w x y z"};
  while (true) {
    const auto other = train_tokenizer({.kind = TokenizerKind::space}, words);
    if (other->size() >= c.tokenizers.source->size()) break;
    words[0] += fmt::format(" w{}", words[0].size());
  }
  const auto other = train_tokenizer({.kind = TokenizerKind::space}, words);
  ASSERT_EQ(other->size(), c.tokenizers.source->size());
  save_tokenizers({other, other}, c.folder.path());
  const auto load = [&] { load_model_folder(c.folder.path(), {}, c.workspace); };
  EXPECT_NE(error_message(load).find("is not the tokenizer that the weights were trained with"), std::string::npos)
      << error_message(load);
}

TEST(ModelFolder, AModelWithoutFingerprintsLoadsWithANote) {
  TranslatorCase c;
  c.write(c.folder.path());
  EXPECT_TRUE(c.load({.threads = 1}).notes().empty());
  const fs::path file = c.folder / "model.safetensors";
  {
    const Safetensors stored(file);
    write_safetensors(c.folder / "old", stored.tensors(), {});
  }
  fs::rename(c.folder / "old", file);
  const Translator old(c.folder.path(), {.threads = 1});
  ASSERT_EQ(old.notes().size(), 1u);
  EXPECT_NE(old.notes()[0].find("without fingerprints"), std::string::npos);
}

TEST(ModelFolder, AFileOfIntegersTranslatesAsQuantizingAtLoad) {
  TranslatorCase c;
  write_int8(c, c.folder / "int8");
  const SearchOptions options{.n_best = 3};
  const Translations want = c.load({.type = NumberType::int8, .threads = 1}).translate(lines_of(lines), options);
  for (const NumberType type : {NumberType::stored, NumberType::int8}) {
    const Translator stored(c.folder / "int8", {.type = type, .threads = 2, .verify = true});
    expect_same_bits(stored.translate(lines_of(lines), options), want, "stored");
  }
  const Translations floats = c.load({.threads = 1}).translate(lines_of(lines), options);
  EXPECT_NE(floats[0][0].log_probability, want[0][0].log_probability) << "or the integers would be floats";
  EXPECT_NEAR(floats[0][0].log_probability / want[0][0].log_probability, 1.0, 0.05);
  const std::string refused = error_message([&] { Translator(c.folder / "int8", {.type = NumberType::f32}); });
  EXPECT_NE(refused.find("holds 8-bit integers; use --type int8"), std::string::npos) << refused;
}

TEST(ModelFolder, DamageIsFoundWithVerify) {
  TranslatorCase c;
  c.write(c.folder / "f32");
  write_int8(c, c.folder / "int8");
  for (const char* name : {"f32", "int8"}) {
    const std::filesystem::path file = c.folder / name / "model.safetensors";
    std::string bytes = read_file(file);
    bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 1);
    write_file(file, bytes);
    EXPECT_EQ(error_message([&] { Translator(c.folder / name, {.threads = 1}); }), "");
    const std::string refused = error_message([&] { Translator(c.folder / name, {.threads = 1, .verify = true}); });
    EXPECT_NE(refused.find("checksum"), std::string::npos) << refused;
    write_file(file, bytes.substr(0, bytes.size() - 1));
    EXPECT_NE(error_message([&] { Translator(c.folder / name, {.threads = 1}); }), "");
  }
}

TEST(ModelFolder, SeveralModelsDecideTogether) {
  Config config = small_config();
  config.output_bias = true;
  TranslatorCase c(config);
  c.write(c.folder / "first");
  c.turn_weights(0.5f);
  c.write(c.folder / "second");
  write_int8(c, c.folder / "third");
  const auto load = [&](const std::vector<const char*>& names) {
    std::vector<std::filesystem::path> paths;
    for (const char* name : names) paths.push_back(c.folder / name);
    return Translator(paths, {.threads = 2});
  };
  const SearchOptions options{.n_best = 2};
  const Translator first = load({"first"});
  const Translations alone = first.translate(lines_of(lines), options);
  expect_same_bits(load({"first", "first"}).translate(lines_of(lines), options), alone, "twice the same");
  const Translator both = load({"first", "second"});
  const Translator second = load({"second"});
  const Translation t = both.translate(lines[1]);
  const std::vector<Line> source{{lines[1]}};
  const std::vector<std::string> target{t.text};
  const double mean =
      0.5 * (first.rescore(source, target)[0].log_probability + second.rescore(source, target)[0].log_probability);
  EXPECT_NEAR(t.log_probability / mean, 1.0, 1e-5);
  EXPECT_EQ(both.rescore(source, target)[0].log_probability, t.log_probability);
  EXPECT_NE(t.log_probability, first.rescore(source, target)[0].log_probability);
  EXPECT_EQ(load({"first", "second", "third"}).translate(lines_of(lines)).size(), lines.size()) << "types may differ";

  const Texts other_text{"a b c d e f g h . ! ? 0 1 2 3 4 5 6 7 8 x"};
  const auto other = train_tokenizer({.kind = TokenizerKind::space}, other_text);
  save_tokenizers({other, other}, c.folder / "second");
  write_weights(c.folder / "second" / "model.safetensors", layout_of(c.model->config()), {{"", c.model->values()}},
                tokenizer_facts({other, other}));
  const std::string refused = error_message([&] { load({"first", "second"}); });
  EXPECT_NE(refused.find("have different tokenizers; an ensemble needs the same vocabulary"), std::string::npos)
      << refused;
  EXPECT_EQ(error_message([&] { load({}); }), "there is no model; pass a folder");
}

TEST(Rescoring, EqualsWhatTranslateReports) {
  TranslatorCase c;
  for (const NumberType type : {NumberType::f32, NumberType::int8}) {
    const Translator translator = c.load({.type = type, .threads = 2, .batch = 3});
    std::vector<Line> sources;
    Texts targets;
    std::vector<Translation> want;
    for (const std::string& line : {lines[0], lines[1], lines[3]}) {
      const Translations found = translator.translate(lines_of({line}), {.n_best = 4});
      for (const Translation& t : found.at(0)) {
        sources.push_back({line});
        targets.push_back(t.text);
        want.push_back(t);
      }
    }
    const std::vector<Translation> got = translator.rescore(sources, targets);
    int compared = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (got[i].pieces != want[i].pieces) continue;  // <unk> and <s> have no spelling
      ++compared;
      EXPECT_EQ(got[i].log_probability, want[i].log_probability);
      EXPECT_EQ(got[i].piece_scores, want[i].piece_scores);
      EXPECT_EQ(got[i].score, want[i].score);
      EXPECT_TRUE(got[i].finished);
    }
    EXPECT_GE(compared, 4);
  }
}

TEST(Rescoring, PieceScoresAddUpAndBlankLinesHaveTheirs) {
  TranslatorCase c;
  const Translator translator = c.load();
  const std::vector<Line> sources{{"a b c"}, {""}, {"a"}, {"zzz"}};
  const Texts targets{"d e", "", "", "a unheard b"};
  const std::vector<Translation> got = translator.rescore(sources, targets);
  ASSERT_EQ(got.size(), 4u);
  const std::vector<std::size_t> lengths{2, 0, 0, 3};
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].piece_scores.size(), lengths[i] + 1);
    const double sum = std::accumulate(got[i].piece_scores.begin(), got[i].piece_scores.end(), 0.0);
    EXPECT_NEAR(sum, got[i].log_probability, 1e-5);
    EXPECT_LT(got[i].log_probability, 0.0);
  }
  const std::string refused = error_message([&] { translator.rescore(sources, std::span(targets).first(3)); });
  EXPECT_EQ(refused, "there are 4 sources and 3 targets; pass the same number of each");
  EXPECT_TRUE(translator.rescore({}, {}).empty());
}

}  // namespace
}  // namespace heed
