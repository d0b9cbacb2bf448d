#include "synthetic/sentences.h"

#include <fmt/format.h>

#include <cctype>

#include "synthetic/complement.h"
#include "synthetic/verb_phrase.h"

namespace heed::synthetic {
namespace {

using korean::attach;
using korean::Particle;
using lexicon::Noun;
using lexicon::Verb;
namespace tag = lexicon::tag;

constexpr Mood all_moods[] = {Mood::present,     Mood::past, Mood::past, Mood::future, Mood::future,
                              Mood::progressive, Mood::want, Mood::can,  Mood::must};
constexpr std::span<const Mood> tenses(all_moods, 6);  // without wish, skill and duty
constexpr Mood state_moods[] = {Mood::present, Mood::past};
constexpr Mood career_moods[] = {Mood::past, Mood::future, Mood::want};

constexpr Verb become{"become", "becomes", "became", "becoming", {"되"}};

class Writer {
 public:
  explicit Writer(std::uint64_t key) : draws_(key), phrases_(draws_, sentence_.combinations) {}

  Sentence write() {
    const int pattern = draws_.between(1, 100);
    if (pattern <= 48) {
      action();
    } else if (pattern <= 55) {
      appeal();
    } else if (pattern <= 61) {
      feeling();
    } else if (pattern <= 69) {
      transfer();
    } else if (pattern <= 77) {
      movement();
    } else if (pattern <= 88) {
      quality();
    } else if (pattern <= 95) {
      presence();
    } else {
      career();
    }
    sentence_.english[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence_.english[0])));
    return std::move(sentence_);
  }

 private:
  void combine(std::string_view relation, std::string_view first, std::string_view second) {
    sentence_.combinations.push_back({relation, first, second});
  }
  void combine_all(std::string_view relation, const std::vector<std::string_view>& heads, std::string_view word) {
    for (const std::string_view head : heads) combine(relation, head, word);
  }

  void finish(std::string_view english, std::string_view korean, char mark) {
    sentence_.english = fmt::format("{}{}", english, mark);
    sentence_.korean = fmt::format("{}{}", korean, mark);
  }

  const Noun& noun_with(lexicon::Tags any, lexicon::Tags also = ~lexicon::Tags{0}) {
    return *draws_.pick_if(lexicon::nouns(),
                           [&](const Noun& n) { return (n.tags & any) != 0 && (n.tags & also) != 0; });
  }

  Force some_force(Mood mood) {
    const int kind = mood == Mood::must ? 100 : draws_.between(1, 100);
    return kind <= 20 ? Force::denial : kind <= 38 ? Force::question : Force::statement;
  }

  // Nobody asks what they do themselves, and a Korean question omits "you". "Three students did not come" is ambiguous,
  // so it is avoided.
  NounPhrase subject_for(Force force, lexicon::Doers doers) {
    if (force == Force::question && draws_.chance(0.4)) return {"you", "", {"you"}, Person::second};
    for (;;) {
      const std::size_t before = sentence_.combinations.size();
      NounPhrase subject = phrases_.doer(doers);
      const bool own = subject.person == Person::first_singular || subject.person == Person::first_plural;
      if (force == Force::statement || !(subject.is_counted || (own && force == Force::question))) return subject;
      sentence_.combinations.resize(before);
    }
  }

  // A subject without an adjective, to avoid "the happy reporter is sad".
  NounPhrase undescribed(Force force) {
    for (;;) {
      NounPhrase subject = subject_for(force, lexicon::Doers::people);
      if (sentence_.combinations.empty()) return subject;
      sentence_.combinations.clear();
    }
  }

  // A subject that is asked about or new to the listener takes 이/가, a topic 은/는.
  static std::string with_role(const NounPhrase& subject, Force force) {
    if (subject.korean.empty()) return {};
    const bool is_topic = force != Force::question && !subject.is_counted;
    return attach(subject.korean, is_topic ? Particle::topic : Particle::subject);
  }

  Complement object_of(const Verb& verb, bool for_animal) {
    const lexicon::Tags also = for_animal ? tag::feed : ~lexicon::Tags{0};
    const Noun& noun = noun_with(verb.objects, also);
    const Noun& other = noun_with(verb.objects, also);
    const bool person = (noun.tags & tag::person) != 0 || (other.tags & tag::person) != 0;
    const bool both = !person && noun.english != other.english && draws_.chance(0.1);
    const NounPhrase phrase = both ? phrases_.pair(noun, other) : phrases_.object(noun);
    combine_all("object", phrase.heads, verb.base);
    Complement out{std::string(verb.preposition), attach(phrase.korean, Particle::object)};
    append(out.english, phrase.english);
    return out;
  }

  void add_place(const Verb& verb, Complement& complement) {
    const auto fits = [&](const lexicon::Place& place) { return (place.sites & verb.places) != 0; };
    const lexicon::Place& place = *draws_.pick_if(lexicon::places(), fits);
    combine("place", place.english, verb.base);
    append(complement.english, fmt::format("{} the {}", place.preposition, place.english));
    prepend(complement.korean, fmt::format("{}에서", place.korean));
  }

  void add_tool(const lexicon::Tool& tool, const Verb& verb, Complement& complement) {
    combine("tool", tool.english, verb.base);
    append(complement.english, tool.english);
    prepend(complement.korean, attach(tool.korean, Particle::by));
  }

  void add_circumstance(const Verb& verb, bool for_animal, Complement& complement) {
    const std::span<const lexicon::Tool> tools = lexicon::tools(verb.tools);
    if (!tools.empty() && !for_animal && draws_.chance(0.3)) {
      add_tool(draws_.pick(tools), verb, complement);
    } else if (verb.places != 0 && draws_.chance(verb.objects == 0 ? 0.7 : 0.3)) {
      add_place(verb, complement);
    }
  }

  // "I read" is ambiguous between present and past without a time.
  static bool needs_time(const Verb& verb, Mood mood) {
    return verb.base == verb.past && (mood == Mood::present || mood == Mood::past);
  }

  void timed_clause(const NounPhrase& subject, const Verb& verb, Mood mood, Force force, Complement complement) {
    if (!needs_time(verb, mood) && !draws_.chance(0.4)) return clause(subject, verb, mood, force, complement);
    const bool often = mood == Mood::present && force == Force::statement && draws_.chance(0.5);
    const Time& time = draws_.pick(often ? frequencies() : times_of(mood));
    prepend(complement.korean, time.korean);
    if (often) return clause(subject, verb, mood, force, complement, time.english);
    append(complement.english, time.english);
    clause(subject, verb, mood, force, complement);
  }

  void clause(const NounPhrase& subject, const Verb& verb, Mood mood, Force force, const Complement& complement,
              std::string_view adverb = {}) {
    combine_all("subject", subject.heads, verb.base);
    std::string korean = with_role(subject, force);
    append(korean, complement.korean);
    append(korean, korean_verb(verb.stem, mood, force, subject.person));
    finish(english_clause(subject, verb, mood, force, complement.english, adverb), korean,
           force == Force::question ? '?' : '.');
  }

  void action() {
    const Verb& verb = draws_.pick(lexicon::verbs());
    const Mood mood = draws_.pick(verb.deliberate ? std::span<const Mood>(all_moods) : tenses);
    const Force force = some_force(mood);
    const NounPhrase subject = subject_for(force, verb.doers);
    Complement complement;
    if (verb.objects != 0) complement = object_of(verb, subject.is_animal);
    add_circumstance(verb, subject.is_animal, complement);
    timed_clause(subject, verb, mood, force, complement);
  }

  void feeling() {
    const Verb& verb = draws_.pick(lexicon::feelings());
    const Mood mood = draws_.pick(std::span<const Mood>(state_moods));
    const Force force = some_force(mood);
    const NounPhrase subject = subject_for(force, verb.doers);
    const Noun& noun = noun_with(verb.objects);
    const NounPhrase phrase = phrases_.kind_of(noun);
    combine_all("object", phrase.heads, verb.base);
    clause(subject, verb, mood, force, {phrase.english, attach(phrase.korean, Particle::object)});
  }

  void transfer() {
    const Verb& verb = draws_.pick(lexicon::transfers());
    const Mood mood = draws_.pick(std::span<const Mood>(all_moods));
    const Force force = some_force(mood);
    const NounPhrase subject = subject_for(force, verb.doers);
    Complement complement = object_of(verb, false);
    const NounPhrase receiver = phrases_.person();
    append(complement.english, fmt::format("to {}", receiver.english));
    prepend(complement.korean, fmt::format("{}에게", receiver.korean));
    timed_clause(subject, verb, mood, force, complement);
  }

  void movement() {
    const Verb& verb = draws_.pick(lexicon::movements());
    const Mood mood = draws_.pick(std::span<const Mood>(all_moods));
    const Force force = some_force(mood);
    const NounPhrase subject = subject_for(force, verb.doers);
    const lexicon::Place& place = draws_.pick(lexicon::places());
    combine("place", place.english, verb.base);
    Complement complement{fmt::format("to the {}", place.english), fmt::format("{}에", place.korean)};
    const bool is_far = (place.sites & lexicon::site::home) == 0;  // nobody takes the bus to the kitchen
    if (is_far && draws_.chance(0.4)) add_tool(draws_.pick(lexicon::rides()), verb, complement);
    timed_clause(subject, verb, mood, force, complement);
  }

  // A request, a negative request, or a proposal.
  void appeal() {
    const Verb& verb = *draws_.pick_if(lexicon::verbs(), [](const Verb& v) { return v.objects != 0; });
    Complement complement = object_of(verb, false);
    add_circumstance(verb, false, complement);
    const int kind = draws_.between(1, 3);
    std::string korean = complement.korean;
    if (kind == 1) {
      append(korean, fmt::format("{} 주세요", korean::connective(verb.stem)));
      finish(fmt::format("please {} {}", verb.base, complement.english), korean, '.');
    } else if (kind == 2) {
      append(korean, fmt::format("{}지 마세요", verb.stem.text));
      finish(fmt::format("please do not {} {}", verb.base, complement.english), korean, '.');
    } else {
      append(korean, fmt::format("{}까요", korean::prospective(verb.stem)));
      finish(fmt::format("shall we {} {}", verb.base, complement.english), korean, '?');
    }
  }

  // "Those cakes were very sweet."
  void quality() {
    const lexicon::Adjective& adjective = draws_.pick(lexicon::adjectives());
    const Noun& noun = noun_with(adjective.nouns);
    const bool person = (noun.tags & tag::person) != 0;
    const Mood mood = draws_.pick(std::span<const Mood>(state_moods));
    const Force force = some_force(mood);
    const NounPhrase subject = person ? undescribed(force) : phrases_.topic(noun);
    for (const std::string_view head : subject.heads) combine("adjective", adjective.english, head);
    const std::string_view be = form_of_be(subject.person, mood);
    std::string korean = with_role(subject, force);
    std::string english;
    if (force == Force::question) {
      english = fmt::format("{} {} {}", be, subject.english, adjective.english);
    } else {
      const bool is_colour = adjective.stem.change == korean::Change::h;
      const bool very = force == Force::statement && !is_colour && draws_.chance(0.4);
      if (very) append(korean, "아주");
      english = fmt::format("{} {} {}{}", subject.english, be,
                            force == Force::denial ? "not "
                            : very                 ? "very "
                                                   : "",
                            adjective.english);
    }
    append(korean, korean_verb(adjective.stem, mood, force, subject.person));
    finish(english, korean, force == Force::question ? '?' : '.');
  }

  // "There were two cats under the table."
  void presence() {
    const Noun& noun = noun_with(tag::small_thing | tag::small_animal);
    const Noun& landmark = draws_.pick(lexicon::landmarks());
    const bool flat = (landmark.tags & tag::furniture) != 0;
    const lexicon::Spot& spot =
        *draws_.pick_if(lexicon::spots(), [&](const lexicon::Spot& s) { return flat || !s.flat; });
    const Mood mood = draws_.pick(std::span<const Mood>(state_moods));
    const NounPhrase thing = phrases_.something(noun);
    combine("spot", noun.english, landmark.english);
    const bool question = draws_.chance(0.25);
    const std::string_view be = form_of_be(thing.person, mood);
    const std::string english =
        question ? fmt::format("{} there {}", be, thing.english) : fmt::format("there {} {}", be, thing.english);
    finish(fmt::format("{} {} the {}", english, spot.english, landmark.english),
           fmt::format("{} {}에 {} {}", landmark.korean, spot.korean, attach(thing.korean, Particle::subject),
                       korean_verb({"있"}, mood, Force::statement, thing.person)),
           question ? '?' : '.');
  }

  // What somebody is, was or becomes.
  void career() {
    const NounPhrase subject = phrases_.individual();
    const Noun& job = *draws_.pick_if(lexicon::nouns(), [](const Noun& n) {
      return (n.tags & tag::person) != 0 && (n.tags & (tag::relative | tag::young)) == 0;
    });
    if (draws_.chance(0.5)) {
      const Mood mood = draws_.pick(std::span<const Mood>(career_moods));
      const Force force = draws_.chance(0.25) ? Force::denial : Force::statement;
      combine_all("job", subject.heads, job.english);
      clause(subject, become, mood, force, {with_article(job.english), attach(job.korean, Particle::subject)});
      return;
    }
    combine_all("job", subject.heads, job.english);
    const Mood mood = draws_.pick(std::span<const Mood>(state_moods));
    const bool denied = draws_.chance(0.3);
    const std::string is = mood == Mood::past ? korean::is_past(job.korean) : korean::is_present(job.korean);
    const std::string is_not =
        fmt::format("{} {}", attach(job.korean, Particle::subject), mood == Mood::past ? "아니었어요" : "아니에요");
    finish(fmt::format("{} {} {}{}", subject.english, form_of_be(subject.person, mood), denied ? "not " : "",
                       with_article(job.english)),
           fmt::format("{} {}", with_role(subject, Force::statement), denied ? is_not : is), '.');
  }

  Sentence sentence_;
  Draws draws_;
  PhraseMaker phrases_;
};

}  // namespace

Sentence write_sentence(std::uint64_t key) { return Writer(key).write(); }

}  // namespace heed::synthetic
