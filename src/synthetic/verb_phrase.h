// Verb phrases in both languages, by tense or mood, in statements, denials and questions. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "synthetic/lexicon.h"
#include "synthetic/noun_phrase.h"

namespace heed::synthetic {

enum class Mood { present, past, future, progressive, want, can, must };
enum class Force { statement, denial, question };

// The Korean verb at the end of its sentence, in polite style.
std::string korean_verb(korean::Stem stem, Mood mood, Force force, Person person);

// The English sentence without its full stop. `adverb` precedes the verb, only in present-tense statements; `rest`
// follows the verb. Either may be empty.
std::string english_clause(const NounPhrase& subject, const lexicon::Verb& verb, Mood mood, Force force,
                           std::string_view rest, std::string_view adverb);

// The form of "be": "is", "were" …
std::string_view form_of_be(Person person, Mood mood);

}  // namespace heed::synthetic
