// The public Translator in use: batches, threads, callers, failures.
#include <algorithm>
#include <numeric>
#include <thread>

#include "base/files.h"
#include "decoding/translator_case.h"
#include "error_message.h"
#include "heed/error.h"
#include "kernels/numbers.h"

namespace heed {
namespace {

// Lines of 0 to 15 words, all different.
Texts many_lines(std::size_t count) {
  const Texts words{"a", "b", "c", "d", "e", "f", "g", "h", ".", "!", "?", "0", "1", "2", "zzz", "\xff"};
  Texts lines;
  for (std::size_t i = 0; i < count; ++i) {
    std::string line;
    for (std::size_t k = 0; k < i % 16; ++k) line += words[uniform_below(i, k, words.size())] + " ";
    lines.push_back(line);
  }
  return lines;
}

Config two_layers() {
  Config config = small_config();
  config.decoder_layers = 2;
  config.output_bias = true;
  return config;
}

TEST(Engine, ALineHasTheSameBitsInAnyBatchOrderAndOnAnyThreads) {
  const Texts lines = many_lines(70);
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) { return scramble(a) < scramble(b); });
  Texts shuffled;
  for (const std::size_t i : order) shuffled.push_back(lines[i]);
  const SearchOptions options{.n_best = 2, .extra_length = 10};
  TranslatorCase c(two_layers());
  for (const NumberType type : {NumberType::f32, NumberType::int8}) {
    Texts notes;
    const Translations want =
        translate(c.load({.type = type, .threads = 1, .batch = 1}), lines_of(lines), options, notes);
    Translations want_shuffled;
    for (const std::size_t i : order) want_shuffled.push_back(want[i]);
    for (const int threads : {1, 2, 3}) {
      for (const int batch : {17, 64}) {
        const Translator translator = c.load({.type = type, .threads = threads, .batch = batch});
        const std::string what = std::to_string(batch) + " on " + std::to_string(threads) + " threads";
        expect_same_bits(translate(translator, lines_of(lines), options, notes), want, what);
        expect_same_bits(translate(translator, lines_of(shuffled), options, notes), want_shuffled, what + ", shuffled");
        expect_same_bits({{translator.translate(lines[15], {.extra_length = 10})}}, {{want[15][0]}}, what + ", alone");
      }
    }
  }
}

TEST(Engine, ServesManyCallersAtOnce) {
  TranslatorCase c(two_layers());
  const Texts lines = many_lines(40);
  const SearchOptions wide{.beam = 3, .extra_length = 10};
  const SearchOptions drawn{.n_best = 2, .extra_length = 10, .sampling = {.on = true, .seed = 5}};
  const Translator translator = c.load({.threads = 3, .batch = 8});
  const Translations want_wide = translator.translate(lines_of(lines), wide);
  const Translations want_drawn = translator.translate(lines_of(lines), drawn);
  std::vector<Translations> got(6);
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < got.size(); ++i) {
    callers.emplace_back([&, i] { got[i] = translator.translate(lines_of(lines), i % 2 == 0 ? wide : drawn); });
  }
  for (std::thread& caller : callers) caller.join();
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect_same_bits(got[i], i % 2 == 0 ? want_wide : want_drawn, "caller " + std::to_string(i));
  }
}

TEST(Engine, LinesThatComeBitByBitAreAnsweredInOrder) {
  TranslatorCase c(two_layers());
  const Texts lines = many_lines(100);
  const Translator translator = c.load({.threads = 2, .batch = 4});
  const Translations want = translator.translate(lines_of(lines));
  Translations got;
  std::size_t given = 0;
  translator.translate({[&](std::vector<Line>& next) {
                          next.clear();
                          for (std::size_t i = 0; i < 7 && given < lines.size(); ++i) next.push_back({lines[given++]});
                          return !next.empty();
                        },
                        [&](std::size_t line, const std::vector<Translation>& translations) {
                          EXPECT_EQ(line, got.size());
                          got.push_back(translations);
                        },
                        [](std::size_t, const std::string&) {}});
  expect_same_bits(got, want, "as a stream");
}

// Translates lines with an emit that throws at one of them.
std::size_t emitted_before_throwing(const Translator& translator, const Texts& lines, std::size_t last) {
  std::size_t emitted = 0;
  bool given = false;
  EXPECT_THROW(translator.translate({[&](std::vector<Line>& next) {
                                       next = lines_of(lines);
                                       return !std::exchange(given, true);
                                     },
                                     [&](std::size_t line, const std::vector<Translation>&) {
                                       ++emitted;
                                       if (line == last) throw std::logic_error("enough");
                                     },
                                     [](std::size_t, const std::string&) {}}),
               std::logic_error);
  return emitted;
}

TEST(Engine, AnEmitThatThrowsEndsItsOwnCallAlone) {
  TranslatorCase c(two_layers());
  const Texts lines = many_lines(30);
  for (const int threads : {1, 3}) {
    const Translator translator = c.load({.threads = threads, .batch = 4});
    const Translations want = translator.translate(lines_of(lines));
    for (const std::size_t last : {0u, 11u, 29u}) {
      EXPECT_EQ(emitted_before_throwing(translator, lines, last), last + 1) << "nothing comes after it";
    }
    Translations got;
    std::thread other([&] { got = translator.translate(lines_of(lines)); });
    emitted_before_throwing(translator, lines, 3);
    other.join();
    expect_same_bits(got, want, "during it and after it");
  }
}

TEST(Engine, AReaderThatThrowsEndsItsCall) {
  TranslatorCase c;
  const Translator translator = c.load({.threads = 2, .batch = 4});
  int calls = 0;
  EXPECT_THROW(translator.translate({[&](std::vector<Line>& next) -> bool {
                                       if (calls++ == 1) throw std::logic_error("unreadable");
                                       next = lines_of(many_lines(20));
                                       return true;
                                     },
                                     [](std::size_t, const std::vector<Translation>&) {},
                                     [](std::size_t, const std::string&) {}}),
               std::logic_error);
  EXPECT_EQ(translator.translate(lines_of(many_lines(20))).size(), 20u);
}

TEST(Engine, APrefixThatIsUnknownOrTooLongIsAnErrorAndNothingHangs) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 6;
  TranslatorCase c(config);
  const Translator translator = c.load({.threads = 2, .batch = 2});
  const auto message_for = [&](const std::string& prefix) {
    std::vector<Line> lines = lines_of(many_lines(9));
    lines[5].prefix = prefix;
    return error_message([&] { translator.translate(lines); });
  };
  EXPECT_EQ(message_for("a b"), "");
  EXPECT_EQ(
      message_for("a unheard b"),
      "line 6: the prefix 'a unheard b' contains a piece that the model does not know; use words of its training data");
  EXPECT_EQ(message_for("a b c d e f"),
            "line 6: the prefix has 6 pieces, but a translation may have at most 5; shorten it");
  EXPECT_EQ(message_for("a b"), "") << "and the next call works";
}

TEST(Engine, APrefixBelongsToTheFirstPartOfALine) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 5;
  TranslatorCase c(config);
  const Translator translator = c.load();
  const std::vector<Line> lines{{"a b c . d e f .", "h g"}, {"a b c .", "h g"}, {"d e f ."}};
  const Translations got = translator.translate(lines);
  EXPECT_TRUE(got[1][0].text.starts_with("h g")) << got[1][0].text;
  EXPECT_EQ(got[0][0].text, got[1][0].text + " " + got[2][0].text);
}

TEST(Engine, NotesNameTheirLines) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 5;
  config.output_bias = true;
  TranslatorCase c(config);
  c.set_output_bias(end_token, -1000.0f);
  c.translate({"", "a b c d e f", "a"});
  std::sort(c.notes.begin(), c.notes.end());
  EXPECT_EQ(c.notes, (Texts{"1 has a translation that was cut off at the length limit and may repeat itself",
                            "1 is longer than 4 pieces and is translated in 2 parts",
                            "2 has a translation that was cut off at the length limit and may repeat itself"}));
}

TEST(Engine, ALineOptionThatDoesNotFitIsRefusedBeforeAnythingIsRead) {
  TranslatorCase c;
  const Translator translator = c.load();
  EXPECT_EQ(error_message([&] { translator.translate("a", {.beam = 0}); }), "beam is 0; choose 1 to 1024");
  EXPECT_EQ(error_message([&] { translator.translate("a", {.alternatives = true, .sampling = {.on = true}}); }),
            "alternatives and sampling cannot be combined; choose one of them");
  EXPECT_EQ(error_message([&] { translator.translate("a", {.sampling = {.temperature = 0.0f}}); }),
            "temperature is 0; choose a number above 0");
  EXPECT_EQ(error_message([&] { translator.translate("a", {.sampling = {.top_p = 1.5f}}); }),
            "top-p is 1.5; choose above 0 and at most 1");
}

}  // namespace
}  // namespace heed
