// Tests of synthetic corpora: Korean forms against a hand-checked table, one-to-one translation, held-out combinations,
// answers computed independently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "heed/error.h"
#include "synthetic/korean.h"
#include "synthetic/lexicon.h"
#include "synthetic/problems.h"
#include "synthetic/sentences.h"
#include "synthetic/synthetic.h"

namespace heed::synthetic {
namespace {

using korean::attach;
using korean::Change;
using korean::Particle;

std::vector<std::string> words_of(std::string line) {
  line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == '.' || c == '?'; }), line.end());
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(Korean, ParticlesFollowTheLastSound) {
  EXPECT_EQ(attach("책", Particle::topic), "책은");
  EXPECT_EQ(attach("사과", Particle::topic), "사과는");
  EXPECT_EQ(attach("학생", Particle::subject), "학생이");
  EXPECT_EQ(attach("의사", Particle::subject), "의사가");
  EXPECT_EQ(attach("물", Particle::object), "물을");
  EXPECT_EQ(attach("차", Particle::object), "차를");
  EXPECT_EQ(attach("빵", Particle::with), "빵과");
  EXPECT_EQ(attach("우유", Particle::with), "우유와");
  EXPECT_EQ(attach("버스", Particle::by), "버스로");
  EXPECT_EQ(attach("숟가락", Particle::by), "숟가락으로");
  EXPECT_EQ(attach("연필", Particle::by), "연필로");
  EXPECT_EQ(attach("책 세 권", Particle::object), "책 세 권을");
}

TEST(Korean, BeingSomethingFollowsTheLastSound) {
  EXPECT_EQ(korean::is_present("의사"), "의사예요");
  EXPECT_EQ(korean::is_present("학생"), "학생이에요");
  EXPECT_EQ(korean::is_past("의사"), "의사였어요");
  EXPECT_EQ(korean::is_past("학생"), "학생이었어요");
}

TEST(Korean, VerbsConjugateAsInTheTable) {
  struct Row {
    korean::Stem stem;
    const char *present, *past, *prospective;
  };
  const Row rows[] = {
      {{"먹"}, "먹어요", "먹었어요", "먹을"},
      {{"읽"}, "읽어요", "읽었어요", "읽을"},
      {{"닫"}, "닫아요", "닫았어요", "닫을"},
      {{"찾"}, "찾아요", "찾았어요", "찾을"},
      {{"씻"}, "씻어요", "씻었어요", "씻을"},
      {{"웃"}, "웃어요", "웃었어요", "웃을"},
      {{"입"}, "입어요", "입었어요", "입을"},
      {{"가"}, "가요", "갔어요", "갈"},
      {{"사"}, "사요", "샀어요", "살"},
      {{"자"}, "자요", "잤어요", "잘"},
      {{"만나"}, "만나요", "만났어요", "만날"},
      {{"서"}, "서요", "섰어요", "설"},
      {{"오"}, "와요", "왔어요", "올"},
      {{"보"}, "봐요", "봤어요", "볼"},
      {{"주"}, "줘요", "줬어요", "줄"},
      {{"배우"}, "배워요", "배웠어요", "배울"},
      {{"춤추"}, "춤춰요", "춤췄어요", "춤출"},
      {{"마시"}, "마셔요", "마셨어요", "마실"},
      {{"기다리"}, "기다려요", "기다렸어요", "기다릴"},
      {{"그리"}, "그려요", "그렸어요", "그릴"},
      {{"켜"}, "켜요", "켰어요", "켤"},
      {{"보내"}, "보내요", "보냈어요", "보낼"},
      {{"세"}, "세요", "셌어요", "셀"},
      {{"쉬"}, "쉬어요", "쉬었어요", "쉴"},
      {{"되"}, "돼요", "됐어요", "될"},
      {{"쓰"}, "써요", "썼어요", "쓸"},
      {{"하"}, "해요", "했어요", "할"},
      {{"요리하"}, "요리해요", "요리했어요", "요리할"},
      {{"만들"}, "만들어요", "만들었어요", "만들"},
      {{"팔"}, "팔아요", "팔았어요", "팔"},
      {{"놀"}, "놀아요", "놀았어요", "놀"},
      {{"열"}, "열어요", "열었어요", "열"},
      {{"듣", Change::d}, "들어요", "들었어요", "들을"},
      {{"걷", Change::d}, "걸어요", "걸었어요", "걸을"},
      {{"깨닫", Change::d}, "깨달아요", "깨달았어요", "깨달을"},
      {{"돕", Change::b}, "도와요", "도왔어요", "도울"},
      {{"눕", Change::b}, "누워요", "누웠어요", "누울"},
      {{"짓", Change::s}, "지어요", "지었어요", "지을"},
      {{"낫", Change::s}, "나아요", "나았어요", "나을"},
      {{"부르", Change::reu}, "불러요", "불렀어요", "부를"},
      {{"고르", Change::reu}, "골라요", "골랐어요", "고를"},
      {{"모르", Change::reu}, "몰라요", "몰랐어요", "모를"},
      {{"보여 주"}, "보여 줘요", "보여 줬어요", "보여 줄"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(korean::present(row.stem), row.present);
    EXPECT_EQ(korean::past(row.stem), row.past);
    EXPECT_EQ(korean::prospective(row.stem), row.prospective);
  }
}

TEST(Korean, AdjectivesConjugateAsInTheTable) {
  struct Row {
    korean::Stem stem;
    const char *present, *past, *descriptive;
  };
  const Row rows[] = {
      {{"크"}, "커요", "컸어요", "큰"},
      {{"작"}, "작아요", "작았어요", "작은"},
      {{"비싸"}, "비싸요", "비쌌어요", "비싼"},
      {{"좋"}, "좋아요", "좋았어요", "좋은"},
      {{"짧"}, "짧아요", "짧았어요", "짧은"},
      {{"길"}, "길어요", "길었어요", "긴"},
      {{"달"}, "달아요", "달았어요", "단"},
      {{"바쁘"}, "바빠요", "바빴어요", "바쁜"},
      {{"예쁘"}, "예뻐요", "예뻤어요", "예쁜"},
      {{"느리"}, "느려요", "느렸어요", "느린"},
      {{"신선하"}, "신선해요", "신선했어요", "신선한"},
      {{"재미있"}, "재미있어요", "재미있었어요", "재미있는"},
      {{"맛있"}, "맛있어요", "맛있었어요", "맛있는"},
      {{"무겁", Change::b}, "무거워요", "무거웠어요", "무거운"},
      {{"아름답", Change::b}, "아름다워요", "아름다웠어요", "아름다운"},
      {{"쉽", Change::b}, "쉬워요", "쉬웠어요", "쉬운"},
      {{"새롭", Change::b}, "새로워요", "새로웠어요", "새로운"},
      {{"빨갛", Change::h}, "빨개요", "빨갰어요", "빨간"},
      {{"하얗", Change::h}, "하얘요", "하얬어요", "하얀"},
      {{"까맣", Change::h}, "까매요", "까맸어요", "까만"},
      {{"빠르", Change::reu}, "빨라요", "빨랐어요", "빠른"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(korean::present(row.stem), row.present);
    EXPECT_EQ(korean::past(row.stem), row.past);
    EXPECT_EQ(korean::descriptive(row.stem), row.descriptive);
  }
}

TEST(Lexicon, EachWordHasOneTranslationEachWay) {
  std::map<std::string, std::string> korean_of, english_of;
  for (const auto& [english, korean] : lexicon::dictionary()) {
    EXPECT_EQ(korean_of.emplace(english, korean).first->second, korean) << english;
    EXPECT_EQ(english_of.emplace(korean, english).first->second, english) << korean;
  }
  EXPECT_GE(lexicon::nouns().size(), 40u);
  EXPECT_GE(lexicon::verbs().size(), 20u);
  EXPECT_GE(lexicon::adjectives().size(), 15u);
}

TEST(Lexicon, EveryVerbAndAdjectiveHasNounsToGoWith) {
  const auto fitting = [](lexicon::Tags tags) {
    return std::count_if(lexicon::nouns().begin(), lexicon::nouns().end(),
                         [&](const lexicon::Noun& noun) { return (noun.tags & tags) != 0; });
  };
  for (const lexicon::Verb& verb : lexicon::verbs()) {
    if (verb.objects == 0) continue;
    EXPECT_GE(fitting(verb.objects), 3) << verb.base;
  }
  for (const lexicon::Adjective& adjective : lexicon::adjectives()) {
    EXPECT_GE(fitting(adjective.nouns), 4) << adjective.english;
  }
}

TEST(Sentences, HaveOneTranslationEachWay) {
  std::map<std::string, std::string> korean_of, english_of;
  for (std::uint64_t key = 0; key < 100000; ++key) {
    const Sentence s = write_sentence(scramble(key));
    ASSERT_EQ(korean_of.emplace(s.english, s.korean).first->second, s.korean) << s.english;
    ASSERT_EQ(english_of.emplace(s.korean, s.english).first->second, s.english) << s.korean;
  }
  EXPECT_GT(korean_of.size(), 80000u);
}

TEST(Sentences, AreWrittenCleanly) {
  for (std::uint64_t key = 0; key < 20000; ++key) {
    const Sentence s = write_sentence(scramble(key));
    for (const std::string& line : {s.english, s.korean}) {
      ASSERT_EQ(line.find("  "), std::string::npos) << line;
      ASSERT_TRUE(line.back() == '.' || line.back() == '?') << line;
      ASSERT_NE(line.front(), ' ') << line;
    }
    ASSERT_EQ(s.english.back(), s.korean.back());
    ASSERT_TRUE(std::isupper(static_cast<unsigned char>(s.english.front()))) << s.english;
    ASSERT_LE(words_of(s.english).size(), 17u) << s.english;
    ASSERT_FALSE(s.combinations.empty()) << s.english;
  }
}

TEST(Sentences, HaveTheRightArticle) {
  for (std::uint64_t key = 0; key < 20000; ++key) {
    const std::vector<std::string> words = words_of(write_sentence(scramble(key)).english);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const bool vowel = std::string("aeiou").find(words[i + 1][0]) != std::string::npos;
      ASSERT_FALSE(words[i] == "a" && vowel) << words[i + 1];
      ASSERT_FALSE(words[i] == "an" && !vowel) << words[i + 1];
    }
  }
}

// Keyed by line, since only the generator knows the combinations in a line.
std::map<std::string, std::vector<Combination>> combinations_by_line(std::uint64_t seed, std::uint64_t draws) {
  std::map<std::string, std::vector<Combination>> all;
  for (std::uint64_t i = 0; i < draws; ++i) {
    Sentence sentence = write_sentence(random_key(seed, i));
    all.emplace(std::move(sentence.english), std::move(sentence.combinations));
  }
  return all;
}

TEST(Synthetic, TestSentencesHoldCombinationsThatTrainingNeverShows) {
  const Options options{.train = 8000, .dev = 200, .test = 200, .seed = 5};
  const Corpus corpus = make_corpus(Kind::en_ko, options);
  const auto combinations = combinations_by_line(options.seed, 60000);
  const auto of = [&](const std::vector<LinePair>& lines) {
    std::set<Combination> set;
    for (const LinePair& pair : lines) {
      const std::vector<Combination>& own = combinations.at(pair.source);
      set.insert(own.begin(), own.end());
    }
    return set;
  };
  const std::set<Combination> trained = of(corpus.train);
  const std::set<Combination> chosen_by = of(corpus.dev);
  std::map<std::string_view, int> relations;
  const auto is_new = [&](const LinePair& pair, const std::set<Combination>& other) {
    for (const Combination& c : combinations.at(pair.source)) {
      if (trained.contains(c) || other.contains(c)) continue;
      ++relations[c.relation];
      return true;
    }
    return false;
  };
  for (const LinePair& pair : corpus.test) EXPECT_TRUE(is_new(pair, chosen_by)) << pair.source;
  for (const LinePair& pair : corpus.dev) EXPECT_TRUE(is_new(pair, of(corpus.test))) << pair.source;
  for (const char* relation : {"object", "adjective", "subject", "number", "place"}) {
    EXPECT_GT(relations[relation], 0) << relation;
  }
}

TEST(Synthetic, HeldOutCombinationsNeverReachTraining) {
  const Options options{.train = 8000, .dev = 200, .test = 200, .seed = 5};
  const Corpus corpus = make_corpus(Kind::en_ko, options);
  const auto combinations = combinations_by_line(options.seed, 60000);
  const auto part_of_one = [&](const Combination& c) {
    return part_of({std::string(c.relation) + ": " + std::string(c.first) + ", " + std::string(c.second)},
                   options.seed);
  };
  for (const LinePair& pair : corpus.train) {
    for (const Combination& c : combinations.at(pair.source)) ASSERT_EQ(part_of_one(c), Part::train) << pair.source;
  }
  for (const LinePair& pair : corpus.test) {
    for (const Combination& c : combinations.at(pair.source)) ASSERT_NE(part_of_one(c), Part::dev) << pair.source;
  }
}

TEST(Synthetic, EveryWordOfDevAndTestOccursInTraining) {
  for (const Kind kind : {Kind::en_ko, Kind::ko_en}) {
    const Corpus corpus = make_corpus(kind, {.train = 3000, .dev = 200, .test = 200, .seed = 2});
    std::set<std::string> known;
    const auto each_word = [](const LinePair& pair, const auto& visit) {
      for (const std::string& word : words_of(pair.source)) visit(word);
      for (const std::string& word : words_of(pair.target)) visit(word);
    };
    for (const LinePair& pair : corpus.train) each_word(pair, [&](const std::string& word) { known.insert(word); });
    for (const auto* part : {&corpus.dev, &corpus.test}) {
      for (const LinePair& pair : *part) {
        each_word(pair, [&](const std::string& word) { EXPECT_TRUE(known.contains(word)) << word; });
      }
    }
  }
}

constexpr Kind all_kinds[] = {Kind::en_ko, Kind::ko_en,    Kind::copy,  Kind::reverse,
                              Kind::sort,  Kind::addition, Kind::dates, Kind::trees};

TEST(Synthetic, PartsHaveTheirSizesAndNoLineTwice) {
  for (const Kind kind : all_kinds) {
    const Corpus corpus = make_corpus(kind, {.train = 3000, .dev = 50, .test = 70, .seed = 3});
    EXPECT_EQ(corpus.train.size(), 3000u);
    EXPECT_EQ(corpus.dev.size(), 50u);
    EXPECT_EQ(corpus.test.size(), 70u);
    std::set<std::string> sources;
    for (const auto* part : {&corpus.train, &corpus.dev, &corpus.test}) {
      for (const LinePair& pair : *part) EXPECT_TRUE(sources.insert(pair.source).second) << pair.source;
    }
  }
}

std::string all_text(Kind kind, std::uint64_t seed) {
  const Corpus corpus = make_corpus(kind, {.train = 2000, .dev = 20, .test = 20, .seed = seed});
  std::string text;
  for (const auto* part : {&corpus.train, &corpus.dev, &corpus.test}) {
    for (const LinePair& pair : *part) text += pair.source + "\t" + pair.target + "\n";
  }
  return text;
}

TEST(Synthetic, SameSeedSameBytes) {
  for (const Kind kind : all_kinds) {
    EXPECT_EQ(all_text(kind, 1), all_text(kind, 1)) << name_of(kind);
    EXPECT_NE(all_text(kind, 1), all_text(kind, 2)) << name_of(kind);
  }
}

TEST(Synthetic, KoreanToEnglishIsEnglishToKoreanTurnedRound) {
  const Options options{.train = 1000, .dev = 10, .test = 10};
  const Corpus there = make_corpus(Kind::en_ko, options);
  const Corpus back = make_corpus(Kind::ko_en, options);
  for (std::size_t i = 0; i < there.train.size(); ++i) {
    ASSERT_EQ(there.train[i].source, back.train[i].target);
    ASSERT_EQ(there.train[i].target, back.train[i].source);
  }
}

TEST(Synthetic, MoreLinesThanThereAreIsAnError) {
  EXPECT_THROW(make_corpus(Kind::en_ko, {.train = 5, .dev = 0, .test = 100}), Error);
}

TEST(Synthetic, TestProblemsAreInTrainingInNoWording) {
  const auto answers = [](const std::vector<LinePair>& lines) {
    std::set<std::string> set;
    for (const LinePair& pair : lines) set.insert(pair.target);
    return set;
  };
  for (const Kind kind : {Kind::dates, Kind::sort, Kind::copy}) {
    const Corpus corpus = make_corpus(kind, {.train = 20000, .dev = 300, .test = 300});
    const std::set<std::string> trained = answers(corpus.train);
    for (const std::string& answer : answers(corpus.test)) EXPECT_FALSE(trained.contains(answer)) << answer;
    for (const std::string& answer : answers(corpus.dev)) EXPECT_FALSE(trained.contains(answer)) << answer;
  }
}

TEST(Problems, SumsAreRight) {
  const auto number = [](std::string digits) {
    digits.erase(std::remove(digits.begin(), digits.end(), ' '), digits.end());
    return std::stoi(digits);
  };
  for (std::uint64_t key = 0; key < 5000; ++key) {
    const Problem p = addition_problem(scramble(key));
    const std::size_t plus = p.question.find('+');
    ASSERT_EQ(number(p.question.substr(0, plus)) + number(p.question.substr(plus + 1)), number(p.answer)) << p.question;
  }
}

TEST(Problems, SwappedSummandsAreTheSameProblem) {
  std::map<std::string, std::string> identity_of;
  int swapped = 0;
  for (std::uint64_t key = 0; key < 5000; ++key) {
    const Problem p = addition_problem(scramble(key));
    identity_of[p.question] = p.identity;
    const std::size_t plus = p.question.find(" + ");
    const auto other = identity_of.find(p.question.substr(plus + 3) + " + " + p.question.substr(0, plus));
    if (other == identity_of.end()) continue;
    EXPECT_EQ(other->second, p.identity) << p.question;
    ++swapped;
  }
  EXPECT_GT(swapped, 0);
}

TEST(Problems, CopiesAndReversalsAreRight) {
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const Problem copied = copy_problem(scramble(key));
    ASSERT_EQ(copied.question, copied.answer);
    const Problem reversed = reverse_problem(scramble(key));
    ASSERT_EQ(std::string(reversed.question.rbegin(), reversed.question.rend()), reversed.answer);
  }
}

TEST(Problems, SortedNumbersAreInOrderAndTheSame) {
  const auto numbers = [](const std::string& line) {
    std::istringstream stream(line);
    return std::vector<int>(std::istream_iterator<int>(stream), {});
  };
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const Problem p = sort_problem(scramble(key));
    const std::vector<int> question = numbers(p.question);
    const std::vector<int> answer = numbers(p.answer);
    ASSERT_TRUE(std::is_sorted(answer.begin(), answer.end())) << p.answer;
    ASSERT_TRUE(std::is_permutation(question.begin(), question.end(), answer.begin(), answer.end())) << p.question;
  }
}

int days_in(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (leap && month == 2 ? 1 : 0);
}

// Zeller's congruence: 0 is Saturday.
int day_of_week(int year, int month, int day) {
  if (month < 3) {
    month += 12;
    --year;
  }
  return (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;
}

TEST(Problems, DatesAreDaysOfTheCalendar) {
  constexpr const char* weekdays[] = {"Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"};
  int leap_days = 0;
  int named_days = 0;
  for (std::uint64_t key = 0; key < 30000; ++key) {
    const Problem p = date_problem(scramble(key));
    int year = 0;
    int month = 0;
    int day = 0;
    ASSERT_EQ(std::sscanf(p.answer.c_str(), "%4d-%2d-%2d", &year, &month, &day), 3) << p.answer;
    ASSERT_EQ(p.answer.size(), 10u);
    ASSERT_TRUE(month >= 1 && month <= 12) << p.answer;
    ASSERT_TRUE(day >= 1 && day <= days_in(year, month)) << p.answer;
    ASSERT_NE(p.question.find(std::to_string(year)), std::string::npos) << p.question;
    leap_days += month == 2 && day == 29 ? 1 : 0;
    if (p.question.find("day, ") == std::string::npos) continue;
    ++named_days;
    ASSERT_TRUE(p.question.starts_with(weekdays[day_of_week(year, month, day)])) << p.question << ' ' << p.answer;
  }
  EXPECT_GT(leap_days, 0);
  EXPECT_GT(named_days, 0);
}

TEST(Problems, OneWordingMeansOneDate) {
  std::map<std::string, std::string> answers;
  for (std::uint64_t key = 0; key < 30000; ++key) {
    const Problem p = date_problem(scramble(key));
    ASSERT_EQ(answers.emplace(p.question, p.answer).first->second, p.answer) << p.question;
  }
}

}  // namespace
}  // namespace heed::synthetic
