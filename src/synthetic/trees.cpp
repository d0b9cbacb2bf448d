#include "synthetic/trees.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "synthetic/draws.h"

namespace heed::synthetic {
namespace {

using Words = std::span<const std::string_view>;

// Deeper phrases are simple ones, so that sentences end.
constexpr int most_depth = 3;

std::string word(std::string_view tag, std::string_view text) { return fmt::format("({} {})", tag, text); }

class Grammar {
 public:
  explicit Grammar(std::uint64_t key) : draws_(key) {}

  std::string sentence() {
    std::string parts;
    if (draws_.chance(0.15)) parts = fmt::format("{} {} ", verb_place(0), word(",", ","));
    parts += fmt::format("{} {}", subject(0), predicate(0));
    return fmt::format("(TOP (S {} {}))", parts, word(".", "."));
  }

 private:
  std::string one(std::string_view tag, Words words) { return word(tag, draws_.pick(words)); }

  std::string subject(int depth) {
    if (draws_.chance(0.2)) return fmt::format("(NP {})", one("PRP", pronouns));
    return noun_phrase(depth);
  }

  std::string noun_phrase(int depth) {
    if (depth < most_depth && draws_.chance(0.2)) {
      return fmt::format("(NP {} (PP {} {}))", simple_noun(), one("IN", of_nouns), noun_phrase(depth + 1));
    }
    if (depth < most_depth && draws_.chance(0.1)) {
      return fmt::format("(NP {} (SBAR (WHNP {}) (S {})))", simple_noun(), word("WP", "who"),
                         bare_predicate(depth + 1));
    }
    if (depth < most_depth && draws_.chance(0.08)) {
      return fmt::format("(NP {} {} {})", simple_noun(), word("CC", "and"), simple_noun());
    }
    return simple_noun();
  }

  std::string simple_noun() {
    if (draws_.chance(0.15)) return fmt::format("(NP {})", one("NNP", names));
    if (draws_.chance(0.15)) return fmt::format("(NP {})", one("NNS", plural_nouns));
    const std::string determiner = one("DT", determiners);
    const std::string adjective = draws_.chance(0.3) ? one("JJ", adjectives) + " " : "";
    return fmt::format("(NP {} {}{})", determiner, adjective, one("NN", nouns));
  }

  std::string verb_place(int depth) { return fmt::format("(PP {} {})", one("IN", of_verbs), noun_phrase(depth + 1)); }

  // A verb and its object.
  std::string verb_and_object(int depth) {
    const bool has_object = draws_.chance(0.7);
    const std::string verb = one("VBD", has_object ? Words(transitive) : Words(intransitive));
    return has_object ? fmt::format("{} {}", verb, noun_phrase(depth + 1)) : verb;
  }

  std::string bare_predicate(int depth) { return fmt::format("(VP {})", verb_and_object(depth)); }

  std::string predicate(int depth) {
    if (depth < most_depth && draws_.chance(0.12)) {
      const std::string verb = one("VBD", reporting);
      return fmt::format("(VP {} (SBAR {} (S {} {})))", verb, word("IN", "that"), subject(depth + 1),
                         predicate(depth + 1));
    }
    std::string parts = verb_and_object(depth);
    if (draws_.chance(0.2)) parts += fmt::format(" (ADVP {})", one("RB", adverbs));
    if (draws_.chance(0.3)) parts += " " + verb_place(depth);
    return fmt::format("(VP {})", parts);
  }

  static constexpr std::string_view nouns[] = {"cat",    "farmer",  "house", "teacher", "garden", "letter",
                                               "river",  "doctor",  "lamp",  "bridge",  "tree",   "singer",
                                               "window", "book",    "king",  "horse",   "train",  "city",
                                               "bottle", "soldier", "roof",  "cloud",   "baker",  "key"};
  static constexpr std::string_view plural_nouns[] = {"cats",  "farmers", "letters", "children",
                                                      "books", "horses",  "stars"};
  static constexpr std::string_view names[] = {"Anna", "Minsu", "Omar", "Lucia", "Peter"};
  static constexpr std::string_view pronouns[] = {"she", "he", "it", "they", "we"};
  static constexpr std::string_view adjectives[] = {"old",   "brave", "green",  "quiet",
                                                    "small", "cold",  "famous", "broken"};
  static constexpr std::string_view determiners[] = {"the", "a", "every", "this", "that"};
  static constexpr std::string_view transitive[] = {"saw",   "painted", "followed", "carried",
                                                    "found", "praised", "sold"};
  static constexpr std::string_view intransitive[] = {"slept", "waited", "laughed", "fell", "sang"};
  static constexpr std::string_view reporting[] = {"said", "believed", "knew", "forgot"};
  static constexpr std::string_view of_nouns[] = {"of"};                                     // belong to a noun
  static constexpr std::string_view of_verbs[] = {"with", "near", "after", "behind", "in"};  // and to a verb
  static constexpr std::string_view adverbs[] = {"slowly", "often", "again", "loudly"};

  Draws draws_;
};

// The words of a tree: what stands before each ')' that follows no other.
std::string words_in(std::string_view tree) {
  std::string words;
  for (std::size_t end = tree.find(')'); end != tree.npos; end = tree.find(')', end + 1)) {
    if (tree[end - 1] == ')') continue;
    const std::size_t begin = tree.rfind(' ', end) + 1;
    words.append(words.empty() ? "" : " ").append(tree.substr(begin, end - begin));
  }
  return words;
}

}  // namespace

Problem tree_problem(std::uint64_t key) {
  const std::string tree = Grammar(key).sentence();
  const std::string words = words_in(tree);
  return {words, tree, words};
}

}  // namespace heed::synthetic
