#include "synthetic/noun_phrase.h"

#include <fmt/format.h>

namespace heed::synthetic {
namespace {

using lexicon::Noun;
namespace tag = lexicon::tag;

struct Determiner {
  std::string_view english, korean;
  bool plural;
};

constexpr Determiner own[] = {{"my", "제 ", false}, {"our", "우리 ", false}};
constexpr Determiner pointing[] = {
    {"this", "이 ", false}, {"that", "그 ", false}, {"these", "이 ", true}, {"those", "그 ", true}};
constexpr Determiner definite[] = {{"the", "", false}, {"the", "", true}};

struct Pronoun {
  std::string_view english, korean;
  Person person;
};
constexpr Pronoun pronouns[] = {{"I", "저", Person::first_singular},
                                {"we", "우리", Person::first_plural},
                                {"he", "그", Person::third_singular},
                                {"she", "그녀", Person::third_singular}};

}  // namespace

std::string with_article(std::string_view words) {
  const bool vowel = std::string_view("aeiou").find(words.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", words);
}

PhraseMaker::Described PhraseMaker::description(const Noun& noun, double probability) {
  if (!draws_.chance(probability)) return {};
  const auto fits = [&](const lexicon::Adjective& adjective) { return (adjective.nouns & noun.tags) != 0; };
  const lexicon::Adjective* adjective = draws_.pick_if(lexicon::adjectives(), fits);
  if (adjective == nullptr) return {};
  combinations_.push_back({"adjective", adjective->english, noun.english});
  return {fmt::format("{} ", adjective->english), fmt::format("{} ", korean::descriptive(adjective->stem))};
}

NounPhrase PhraseMaker::determined(const Noun& noun, const Described& description) {
  std::span<const Determiner> choice = pointing;
  const bool person = (noun.tags & tag::person) != 0;
  if ((noun.tags & tag::relative) != 0) {
    choice = own;
  } else if (draws_.chance(person ? 0.6 : 0.4)) {
    choice = person ? std::span(definite) : std::span(own);
  }
  const Determiner& determiner = draws_.pick(choice);
  const bool plural = determiner.plural && !noun.plural.empty();
  return {fmt::format("{} {}{}", determiner.english, description.english, plural ? noun.plural : noun.english),
          fmt::format("{}{}{}{}", determiner.korean, description.korean, noun.korean, plural ? "들" : ""),
          {noun.english},
          plural ? Person::third_plural : Person::third_singular};
}

NounPhrase PhraseMaker::counted(const Noun& noun, const Described& description) {
  const lexicon::Name& number = draws_.pick(lexicon::numbers());
  combinations_.push_back({"number", number.english, noun.english});
  const bool single = &number == lexicon::numbers().data();
  const std::string_view form = single ? noun.english : noun.plural;
  NounPhrase phrase{fmt::format("{} {}{}", number.english, description.english, form),
                    fmt::format("{}{} {} {}", description.korean, noun.korean, number.korean, noun.counter),
                    {noun.english},
                    single ? Person::third_singular : Person::third_plural,
                    true};
  if (!noun.measure.empty()) {
    const std::string measure = fmt::format("{}{}", noun.measure, noun.measure.ends_with("s") ? "es" : "s");
    phrase.english = fmt::format("{} {} of {}{}", number.english, single ? std::string(noun.measure) : measure,
                                 description.english, noun.english);
  }
  return phrase;
}

NounPhrase PhraseMaker::uncountable(const Noun& noun) {
  const Described described = description(noun, 0.4);
  if (!noun.measure.empty() && draws_.chance(0.4)) return counted(noun, described);
  return {fmt::format("{}{}", described.english, noun.english),
          fmt::format("{}{}", described.korean, noun.korean),
          {noun.english}};
}

NounPhrase PhraseMaker::indefinite(const Noun& noun, const Described& description) const {
  return {with_article(fmt::format("{}{}", description.english, noun.english)),
          fmt::format("{}{}", description.korean, noun.korean),
          {noun.english}};
}

NounPhrase PhraseMaker::something(const Noun& noun) {
  const Described described = description(noun, 0.4);
  return draws_.chance(0.5) ? counted(noun, described) : indefinite(noun, described);
}

NounPhrase PhraseMaker::object(const Noun& noun) {
  if (noun.plural.empty()) return uncountable(noun);
  if ((noun.tags & tag::person) != 0) return determined(noun, description(noun, 0.3));
  if (draws_.chance(0.6)) return something(noun);
  return determined(noun, description(noun, 0.25));
}

NounPhrase PhraseMaker::kind_of(const Noun& noun) {
  if ((noun.tags & tag::person) != 0) return determined(noun, description(noun, 0.3));
  const Described described = description(noun, 0.5);
  return {fmt::format("{}{}", described.english, noun.plural.empty() ? noun.english : noun.plural),
          fmt::format("{}{}", described.korean, noun.korean),
          {noun.english}};
}

NounPhrase PhraseMaker::topic(const Noun& noun) {
  if (noun.plural.empty() || draws_.chance(0.25)) {
    return {fmt::format("the {}", noun.english), std::string(noun.korean), {noun.english}};
  }
  return determined(noun, {});
}

NounPhrase PhraseMaker::person() {
  const auto is_person = [](const Noun& noun) { return (noun.tags & tag::person) != 0; };
  return object(*draws_.pick_if(lexicon::nouns(), is_person));
}

NounPhrase PhraseMaker::pair(const Noun& first, const Noun& second) const {
  const auto english = [](const Noun& noun) {
    return noun.plural.empty() ? std::string(noun.english) : with_article(noun.english);
  };
  return {fmt::format("{} and {}", english(first), english(second)),
          fmt::format("{} {}", korean::attach(first.korean, korean::Particle::with), second.korean),
          {first.english, second.english}};
}

NounPhrase PhraseMaker::pronoun() {
  const Pronoun& pronoun = draws_.pick(std::span<const Pronoun>(pronouns));
  return {std::string(pronoun.english), std::string(pronoun.korean), {pronoun.english}, pronoun.person};
}

NounPhrase PhraseMaker::animal() {
  const Noun& noun = *draws_.pick_if(lexicon::nouns(), [](const Noun& n) { return (n.tags & tag::animal) != 0; });
  const Described described = description(noun, 0.25);
  NounPhrase phrase = draws_.chance(0.4) ? counted(noun, described) : determined(noun, described);
  phrase.is_animal = true;
  return phrase;
}

NounPhrase PhraseMaker::name() {
  const lexicon::Name& name = draws_.pick(lexicon::names());
  return {std::string(name.english), std::string(name.korean), {name.english}};
}

NounPhrase PhraseMaker::two_names() {
  const lexicon::Name& first = draws_.pick(lexicon::names());
  const lexicon::Name& second =
      *draws_.pick_if(lexicon::names(), [&](const lexicon::Name& other) { return other.english != first.english; });
  return {fmt::format("{} and {}", first.english, second.english),
          fmt::format("{} {}", korean::attach(first.korean, korean::Particle::with), second.korean),
          {first.english, second.english},
          Person::third_plural};
}

NounPhrase PhraseMaker::individual() {
  const int kind = draws_.between(1, 3);
  if (kind == 1) return name();
  if (kind == 2) {
    const auto is_relative = [](const Noun& noun) { return (noun.tags & tag::relative) != 0; };
    return determined(*draws_.pick_if(lexicon::nouns(), is_relative), {});
  }
  for (;;) {
    NounPhrase phrase = pronoun();
    if (phrase.person != Person::first_plural) return phrase;
  }
}

NounPhrase PhraseMaker::doer(lexicon::Doers doers) {
  if (doers == lexicon::Doers::people_and_animals && draws_.chance(0.3)) return animal();
  const int kind = draws_.between(1, 100);
  if (kind <= 30) return pronoun();
  if (kind <= 45) return name();
  if (kind <= 52) return two_names();
  if (kind <= 90) return person();
  const auto countable = [](const Noun& n) { return (n.tags & tag::person) != 0 && (n.tags & tag::relative) == 0; };
  const Noun& noun = *draws_.pick_if(lexicon::nouns(), countable);
  return counted(noun, description(noun, 0.25));
}

}  // namespace heed::synthetic
