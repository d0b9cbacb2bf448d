// Noun phrases in both languages: "three good books" and 좋은 책 세 권.
//
// A bare Korean noun translates with "the" for people and topics, and with "a" for everything else, so that translation
// is unambiguous both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "synthetic/draws.h"
#include "synthetic/lexicon.h"

namespace heed::synthetic {

// Two words that are related in a sentence, such as a verb and its object.
struct Combination {
  std::string_view relation, first, second;
  bool operator==(const Combination&) const = default;
  auto operator<=>(const Combination&) const = default;
};

enum class Person { first_singular, first_plural, second, third_singular, third_plural };

struct NounPhrase {
  std::string english, korean;          // the Korean without its particle
  std::vector<std::string_view> heads;  // the head nouns, for combinations with the rest of the sentence
  Person person = Person::third_singular;
  bool is_counted = false;  // "three students": new to the listener, so 이/가 and not 은/는
  bool is_animal = false;
};

// Generates random phrases and records the combinations in them.
class PhraseMaker {
 public:
  PhraseMaker(Draws& draws, std::vector<Combination>& combinations) : draws_(draws), combinations_(combinations) {}

  // Who does something: a pronoun, a name, two names or a noun.
  NounPhrase doer(lexicon::Doers doers);
  // "the doctor", "my son".
  NounPhrase person();
  // A subject that can be "a doctor": "Minsu", "my son", "she".
  NounPhrase individual();
  // The object of a verb.
  NounPhrase object(const lexicon::Noun& noun);
  // "an apple and milk".
  NounPhrase pair(const lexicon::Noun& first, const lexicon::Noun& second) const;
  // The object of liking: "sweet apples", but "the doctor".
  NounPhrase kind_of(const lexicon::Noun& noun);
  // The topic of a sentence, without an adjective: "this book", "those books".
  NounPhrase topic(const lexicon::Noun& noun);
  // The subject of "there is": "a cat", "three red cups".
  NounPhrase something(const lexicon::Noun& noun);

 private:
  struct Described {
    std::string english, korean;  // with a trailing space, or empty
  };
  Described description(const lexicon::Noun& noun, double probability);
  NounPhrase determined(const lexicon::Noun& noun, const Described& description);
  NounPhrase counted(const lexicon::Noun& noun, const Described& description);
  NounPhrase uncountable(const lexicon::Noun& noun);
  NounPhrase indefinite(const lexicon::Noun& noun, const Described& description) const;
  NounPhrase pronoun();
  NounPhrase animal();
  NounPhrase name();
  NounPhrase two_names();

  Draws& draws_;
  std::vector<Combination>& combinations_;
};

// The words with "a" or "an".
std::string with_article(std::string_view words);

}  // namespace heed::synthetic
