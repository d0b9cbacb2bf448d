// The words of the English–Korean corpus, each with its single translation, and which words combine.
//
// English and Korean words map one to one, so that a sentence has a single translation each way.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "synthetic/korean.h"

namespace heed::synthetic::lexicon {

// Properties of a noun and what can be done with it, one bit each.
using Tags = std::uint64_t;
namespace tag {
constexpr Tags bit(int number) { return Tags{1} << number; }
constexpr Tags person = bit(0), relative = bit(1), animal = bit(2), small_animal = bit(3);
constexpr Tags food = bit(4), fruit = bit(5), hot_food = bit(6), cookable = bit(7), washable = bit(8), feed = bit(9);
constexpr Tags drink = bit(10), hot_drink = bit(11), cold_drink = bit(12);
constexpr Tags text = bit(13), written = bit(14), show = bit(15), audio = bit(16);
constexpr Tags plant = bit(17), clothes = bit(18), belonging = bit(19), container = bit(20), furniture = bit(21);
constexpr Tags device = bit(22), vehicle = bit(23), opening = bit(24), building = bit(25), makeable = bit(26);
constexpr Tags small_thing = bit(27), tree = bit(28), sweet = bit(29), printed = bit(30), mail = bit(31),
               drawn = bit(32), young = bit(33);
}  // namespace tag

struct Noun {
  std::string_view english;
  std::string_view plural;  // empty: uncountable, except by a measure
  std::string_view korean;
  std::string_view counter;  // the Korean counter word after a number
  Tags tags;
  std::string_view measure = {};  // "cup" for cups of coffee
};

struct Adjective {
  std::string_view english;
  korean::Stem stem;
  Tags nouns;
};

// Kinds of places where something happens.
using Sites = std::uint32_t;
namespace site {
constexpr Sites dining = 1, trade = 2, quiet = 4, outdoors = 8, work = 16, meeting = 32, home = 64, screen = 128;
}

struct Place {
  std::string_view preposition;
  std::string_view english;
  std::string_view korean;
  Sites sites;
};

struct Tool {
  std::string_view english;  // with its preposition
  std::string_view korean;
};

enum class Tools { none, cutlery, stationery };
enum class Doers { people, people_and_animals };

struct Verb {
  std::string_view base, third, past, gerund;
  korean::Stem stem;
  Tags objects = 0;  // none: intransitive
  Sites places = 0;
  Tools tools = Tools::none;
  Doers doers = Doers::people;
  std::string_view preposition = {};  // of the object: listens *to* music
  bool deliberate = true;             // can be wanted, learnt or requested
};

struct Name {
  std::string_view english, korean;
};

struct Spot {
  std::string_view english;  // on, under …
  std::string_view korean;   // 위, 아래 …
  bool flat;                 // only for landmarks with a flat surface
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();      // with or without an object
std::span<const Verb> feelings();   // states: like, love; no progressive, no orders
std::span<const Verb> transfers();  // somebody gives something to somebody
std::span<const Verb> movements();  // to a place
std::span<const Place> places();
std::span<const Tool> tools(Tools kind);
std::span<const Tool> rides();
std::span<const Name> names();
std::span<const Name> numbers();  // one to ten, as used before a counter
std::span<const Spot> spots();
std::span<const Noun> landmarks();  // things that something can be next to

// Every word with its translation in dictionary form, by kind.
std::vector<std::pair<std::string, std::string>> dictionary();

}  // namespace heed::synthetic::lexicon
