#include "synthetic/verb_phrase.h"

#include <fmt/format.h>

namespace heed::synthetic {
namespace {

using korean::Stem;

bool is_third_singular(Person person) { return person == Person::third_singular; }

// 싶어요 for one's own wish, 싶어 해요 for somebody else's.
bool is_own_wish(Person person) { return person != Person::third_singular && person != Person::third_plural; }

std::string denied(Stem stem, Mood mood, Person person) {
  switch (mood) {
    case Mood::past: return fmt::format("{}지 않았어요", stem.text);
    case Mood::future: return fmt::format("{}지 않을 거예요", stem.text);
    case Mood::progressive: return fmt::format("{}고 있지 않아요", stem.text);
    case Mood::want: return fmt::format("{}고 싶{}지 않아요", stem.text, is_own_wish(person) ? "" : "어 하");
    case Mood::can: return fmt::format("{} 수 없어요", korean::prospective(stem));
    case Mood::present:
    case Mood::must: break;
  }
  return fmt::format("{}지 않아요", stem.text);
}

std::string said(Stem stem, Mood mood, Person person) {
  switch (mood) {
    case Mood::present: return korean::present(stem);
    case Mood::past: return korean::past(stem);
    case Mood::future: return fmt::format("{} 거예요", korean::prospective(stem));
    case Mood::progressive: return fmt::format("{}고 있어요", stem.text);
    case Mood::want: return fmt::format("{}고 싶어{}", stem.text, is_own_wish(person) ? "요" : " 해요");
    case Mood::can: return fmt::format("{} 수 있어요", korean::prospective(stem));
    case Mood::must: break;
  }
  return fmt::format("{}야 해요", korean::connective(stem));
}

std::string_view auxiliary(Mood mood, Person person) {
  switch (mood) {
    case Mood::past: return "did";
    case Mood::future: return "will";
    case Mood::progressive: return form_of_be(person, Mood::present);
    case Mood::can: return "can";
    case Mood::must: return "must";
    case Mood::present:
    case Mood::want: break;
  }
  return is_third_singular(person) ? "does" : "do";
}

// The verb form after an auxiliary.
std::string infinitive(const lexicon::Verb& verb, Mood mood) {
  if (mood == Mood::progressive) return std::string(verb.gerund);
  if (mood == Mood::want) return fmt::format("want to {}", verb.base);
  return std::string(verb.base);
}

std::string finite(const lexicon::Verb& verb, Mood mood, Person person) {
  if (mood == Mood::present) return std::string(is_third_singular(person) ? verb.third : verb.base);
  if (mood == Mood::past) return std::string(verb.past);
  if (mood == Mood::want) return fmt::format("{} to {}", is_third_singular(person) ? "wants" : "want", verb.base);
  return fmt::format("{} {}", auxiliary(mood, person), infinitive(verb, mood));
}

}  // namespace

std::string korean_verb(Stem stem, Mood mood, Force force, Person person) {
  return force == Force::denial ? denied(stem, mood, person) : said(stem, mood, person);
}

std::string_view form_of_be(Person person, Mood mood) {
  const bool singular = person == Person::third_singular || person == Person::first_singular;
  if (mood == Mood::past) return singular ? "was" : "were";
  if (person == Person::first_singular) return "am";
  return singular ? "is" : "are";
}

std::string english_clause(const NounPhrase& subject, const lexicon::Verb& verb, Mood mood, Force force,
                           std::string_view rest, std::string_view adverb) {
  const std::string_view helper = auxiliary(mood, subject.person);
  const std::string tail = rest.empty() ? std::string() : fmt::format(" {}", rest);
  switch (force) {
    case Force::question: return fmt::format("{} {} {}{}", helper, subject.english, infinitive(verb, mood), tail);
    case Force::denial: {
      const std::string_view negation = mood == Mood::can ? "not" : " not";
      return fmt::format("{} {}{} {}{}", subject.english, helper, negation, infinitive(verb, mood), tail);
    }
    case Force::statement: break;
  }
  const std::string space = adverb.empty() ? "" : " ";
  return fmt::format("{}{}{} {}{}", subject.english, space, adverb, finite(verb, mood, subject.person), tail);
}

}  // namespace heed::synthetic
