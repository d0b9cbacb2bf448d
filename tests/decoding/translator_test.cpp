#include "heed/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "decoding/cut.h"
#include "decoding/search_case.h"
#include "decoding/steps_of.h"
#include "decoding/translator_case.h"
#include "error_message.h"
#include "heed/error.h"

namespace heed {
namespace {

TEST(Translator, EveryLineComesBackInOrderWhateverItHolds) {
  TranslatorCase c;
  c.options.batch = 2;
  const Texts lines{"a b c",
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
  const auto all = c.translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool blank = i == 1 || i == 3 || i == 4 || i == 7 || i == 8;
    ASSERT_EQ(all[i].size(), 1u) << i;
    EXPECT_EQ(all[i][0].text.empty(), blank) << i;
    EXPECT_EQ(all[i][0].score == 0.0, blank) << i;
    EXPECT_EQ(all[i][0].text, c.text(lines[i])) << i << ": the same alone";
  }
}

TEST(Translator, AStreamAsksForLinesWithNoneLeftOver) {
  TranslatorCase c;
  const Translator translator = c.load();
  const Texts texts{"a b", "c", "d e f"};
  std::size_t given = 0;
  Texts found;
  translator.translate(
      {[&](std::vector<Line>& lines) {
         EXPECT_TRUE(lines.empty()) << given;
         if (given == texts.size()) return false;
         lines.push_back({texts[given++]});
         return true;
       },
       [&](std::size_t, const std::vector<Translation>& translations) { found.push_back(translations[0].text); },
       {}},
      {});
  Texts wanted;
  for (const std::string& text : texts) wanted.push_back(translator.translate(text, {}).text);
  EXPECT_EQ(found, wanted);
}

TEST(Translator, SearchesAsTheModelRecordsUnlessItIsToldOtherwise) {
  TranslatorCase c(config_with_output_bias());
  c.set_output_bias(end_token, 0.5f);
  c.recorded = {.beam = 7, .alpha = 1.5f, .length_penalty = LengthPenalty::power};
  const Translator translator = c.load();
  const SearchOptions defaults = translator.default_options();
  EXPECT_EQ(defaults.beam, 7);
  EXPECT_EQ(defaults.alpha, 1.5f);
  EXPECT_EQ(defaults.length_penalty, LengthPenalty::power);
  EXPECT_EQ(defaults.n_best, 1);
  bool differs = false;
  for (const std::string text : {"a b c", "d e f g h . ! ?", "7 7 7", "0 1 2 3 4"}) {
    const std::vector<Line> lines = lines_of({text});
    const Translation own = translator.translate(text);
    expect_same_bits({{own}}, {{translator.translate(text, defaults)}}, "one line");
    expect_same_bits({{own}}, translator.translate(lines), "lines");
    expect_same_bits({{own}}, translate(translator, lines, defaults, c.notes), "a stream");
    const auto length = static_cast<double>(own.piece_scores.size());
    EXPECT_DOUBLE_EQ(own.score, own.log_probability / std::pow(length, 1.5));
    const Translation papers = translator.translate(text, {});
    EXPECT_DOUBLE_EQ(papers.score, score_of(papers.log_probability, papers.piece_scores.size() - 1));
    differs = differs || papers.text != own.text;
    const Texts targets{own.text};
    EXPECT_NEAR(translator.rescore(lines, targets)[0].score, own.score, 1e-5);
  }
  EXPECT_TRUE(differs) << "the defaults have no effect here";
}

TEST(Translator, NoLinesAreNoLines) {
  TranslatorCase c;
  EXPECT_TRUE(c.translate({}).empty());
  EXPECT_EQ(c.translate({"", ""}).size(), 2u);
}

TEST(Translator, InvalidBytesCountAsTheReplacementCharacter) {
  TranslatorCase c(small_config(), {.normalization = Normalization::identity, .vocab_size = 300});
  const auto score = [&](const std::string& line) { return c.translate({line}).at(0).at(0).score; };
  EXPECT_EQ(score("a \xff b"), score("a \ufffd b"));
  EXPECT_NE(score("a \xff b"), score("a b"));
}

TEST(Translator, TheTextIsThatOfTheSearch) {
  TranslatorCase c;
  std::vector<int> source = c.tokenizers.source->encode("a b c");
  source.push_back(end_token);
  BatchBuilder builder;
  builder.add(source, {});
  const SearchOptions options{.beam = 3, .n_best = 3};
  const StepsOf models{&*c.model};
  const std::vector<Hypothesis> want = search(models, builder.batch().source, options, 1, c.workspace).at(0);
  const std::vector<Translation> got = c.translate({"a b c"}, options).at(0);
  ASSERT_EQ(got.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(got[i].text, c.tokenizers.target->decode(want[i].tokens));
    EXPECT_EQ(got[i].log_probability, want[i].log_probability);
    EXPECT_EQ(got[i].score, want[i].score);
  }
}

TEST(Translator, LongLinesAreTranslatedInPartsAndJoined) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 5;
  TranslatorCase c(config);
  const SearchOptions options{.n_best = 2};
  const auto whole = c.translate({"a b c . d e f ."}, options).at(0);
  EXPECT_EQ(c.notes.at(0), "0 is longer than 4 pieces and is translated in 2 parts");
  const auto parts = c.translate({"a b c .", "d e f ."}, options);
  ASSERT_EQ(whole.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(whole[i].text, parts[0][i].text + " " + parts[1][i].text);
    EXPECT_DOUBLE_EQ(whole[i].log_probability, parts[0][i].log_probability + parts[1][i].log_probability);
  }
}

bool is_about_parts(const std::string& note) { return note.ends_with(" parts"); }

TEST(Translator, ALineLongerThanTheRecordedLengthIsTranslatedSentenceBySentence) {
  TranslatorCase c;
  c.max_source_length = 9;
  const SearchOptions options{.n_best = 2};
  const auto whole = c.translate({"A b c . D e f . 1 2 3 . G h", "A b c . D e f . !"}, options).at(0);
  EXPECT_EQ(c.notes.at(0), "0 is longer than 9 pieces and is translated in 4 parts");
  EXPECT_EQ(std::count_if(c.notes.begin(), c.notes.end(), is_about_parts), 1);
  const auto parts = c.translate({"A b c .", "D e f .", "1 2 3 .", "G h"}, options);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(whole[i].text,
              parts[0][i].text + " " + parts[1][i].text + " " + parts[2][i].text + " " + parts[3][i].text);
  }
}

TEST(Translator, OnlyASentenceLongerThanTheLengthIsCutInsideAndNoted) {
  TranslatorCase c;
  c.max_source_length = 4;
  const std::string whole = c.text("A b . 1 2 3 4 5 6 . G h");
  const std::string split = "0 has a sentence longer than 4 pieces, which is split; the line is translated in 4 parts";
  EXPECT_EQ(c.notes.at(0), split + "; a max-source-length of 7 would keep the sentence whole");
  EXPECT_EQ(whole, c.text("A b .") + " " + c.text("1 2 3 4") + " " + c.text("5 6 .") + " " + c.text("G h"));
}

TEST(Translator, NoLongerLengthIsSuggestedThanLearnedPositionsAllow) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 6;
  TranslatorCase c(config);
  c.max_source_length = 4;
  c.translate({"1 2 3 4 5 6 .", "1 2 3 4 ."});
  EXPECT_EQ(c.notes.at(0), "0 has a sentence longer than 4 pieces, which is split; the line is translated in 2 parts");
  EXPECT_EQ(c.notes.at(1),
            "1 has a sentence longer than 4 pieces, which is split; the line is translated in 2 parts"
            "; a max-source-length of 5 would keep the sentence whole");
}

TEST(Translator, TheLengthIsTheUsersOrTheSmallestRecordedAndLearnedPositionsCapIt) {
  const std::string line = "A b c . D e f . G h a b . 1 2 3 4 .";
  const auto note = [&](const Translator& translator) {
    Texts notes;
    translate(translator, lines_of({line}), {}, notes);
    return notes.empty() || !is_about_parts(notes[0]) ? "" : notes[0].substr(0, notes[0].find(" and"));
  };
  TranslatorCase c;
  EXPECT_EQ(note(c.load()), "");
  EXPECT_EQ(note(c.load({.threads = 1, .max_source_length = 7})), "0 is longer than 7 pieces");
  c.max_source_length = 12;
  EXPECT_EQ(note(c.load()), "0 is longer than 12 pieces");
  EXPECT_EQ(note(c.load({.threads = 1, .max_source_length = 7})), "0 is longer than 7 pieces");
  EXPECT_EQ(note(c.load({.threads = 1, .max_source_length = 100})), "");
  const TestFolder other;
  for (const Index length : {Index{9}, Index{20}, Index{0}}) {
    TranslatorCase second;
    second.max_source_length = length;
    second.write(other.path());
    const std::vector<std::filesystem::path> both{c.folder.path(), other.path()};
    EXPECT_EQ(note(Translator(both, {.threads = 1})), fmt::format("0 is longer than {} pieces", length == 9 ? 9 : 12));
  }
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 6;
  TranslatorCase learned(config);
  learned.max_source_length = 12;
  EXPECT_EQ(note(learned.load()), "0 is longer than 5 pieces");
}

TEST(Translator, ALineOfAnyLengthFitsLearnedPositions) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 6;
  TranslatorCase c(config, {.vocab_size = 300});
  std::string line;
  for (int i = 0; i < 100; ++i) line += "\U0001f600abc";
  EXPECT_FALSE(c.text(line).empty());
}

TEST(Translator, ATranslationThatReachesTheLimitIsNoted) {
  Config config = small_config();
  config.output_bias = true;
  TranslatorCase c(config);
  c.set_output_bias(end_token, -1000.0f);
  c.translate({"", "a"});
  EXPECT_EQ(c.notes, Texts{"1 has a translation that was cut off at the length limit and may repeat itself"});
}

TEST(Translator, ATranslationNeverHoldsALineBreak) {
  Config config = small_config();
  config.output_bias = true;
  TranslatorCase c(config, {.vocab_size = 300});
  const int line_feed = c.tokenizers.target->id_of("<0x0A>");
  ASSERT_GT(line_feed, 0);
  c.set_output_bias(line_feed, 1000.0f);
  const Translation broken = c.translate({"a"}, {.extra_length = 1}).at(0).at(0);
  EXPECT_EQ(broken.text.find('\n'), std::string::npos);
  EXPECT_NE(fmt::format("{}", fmt::join(broken.pieces, " ")).find("<0x0A> <0x0A>"), std::string::npos);
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

TEST(Translator, AStreamNamesTheFunctionThatItLacks) {
  TranslatorCase c;
  const Translator translator = c.load();
  const auto message = [&](const Translator::Stream& stream) {
    return error_message([&] { translator.translate(stream); });
  };
  const auto nothing = [](std::vector<Line>&) { return false; };
  const auto ignore = [](std::size_t, const std::vector<Translation>&) {};
  EXPECT_EQ(message({}), "the stream has no function 'next'; set one that fills in lines to translate");
  EXPECT_EQ(message({nothing, {}, {}}), "the stream has no function 'emit'; set one that takes the translations");
  EXPECT_EQ(message({nothing, ignore, {}}), "");
}

TEST(Translator, AStreamWithoutNoteIgnoresNotes) {
  Config config = small_config();
  config.output_bias = true;
  TranslatorCase c(config);
  c.set_output_bias(end_token, -1000.0f);
  bool given = false;
  std::size_t lines = 0;
  c.load().translate({[&](std::vector<Line>& next) {
                        next = {{"a b"}};
                        return !std::exchange(given, true);
                      },
                      [&](std::size_t, const std::vector<Translation>& translations) {
                        EXPECT_FALSE(translations.at(0).finished) << "there is something to note";
                        ++lines;
                      },
                      {}});
  EXPECT_EQ(lines, 1u);
}

TEST(Translator, OneThatWasMovedFromSaysSo) {
  TranslatorCase c;
  Translator first = c.load();
  const Translator second = std::move(first);
  const std::string text = second.translate("a b").text;
  const std::vector<Line> lines{{"a"}};
  const Texts targets{"b"};
  const std::string want = "this Translator was moved from; use the one that it was moved to";
  EXPECT_EQ(error_message([&] { first.source_language(); }), want);
  EXPECT_EQ(error_message([&] { first.target_language(); }), want);
  EXPECT_EQ(error_message([&] { first.translate("a"); }), want);
  EXPECT_EQ(error_message([&] { first.translate(lines); }), want);
  EXPECT_EQ(error_message([&] { first.translate(Translator::Stream{}); }), want);
  EXPECT_EQ(error_message([&] { first.rescore(lines, targets); }), want);
  first = c.load();
  EXPECT_EQ(first.translate("a b").text, text);
}

TEST(Translator, OptionsThatDoNotFitAreRefusedByName) {
  TranslatorCase c;
  const auto message = [&](const ModelOptions& options) -> std::string {
    try {
      c.load(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.batch = 0}), "batch is 0; choose 1 to 65536");
  EXPECT_EQ(message({.threads = -1}), "threads is -1; choose 0 to 1024");
  EXPECT_EQ(message({.max_source_length = -1}), "max-source-length is -1; choose 0 to 65536");
}

}  // namespace
}  // namespace heed
