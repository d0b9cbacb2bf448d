#include "synthetic/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/figures.h"
#include "base/hash.h"
#include "base/random.h"
#include "heed/error.h"
#include "synthetic/problems.h"
#include "synthetic/sentences.h"
#include "synthetic/trees.h"

namespace heed::synthetic {
namespace {

constexpr double test_share = 0.04;
constexpr double dev_share = 0.03;
constexpr Index tries_per_line = 300;

bool is_language(Kind kind) { return kind == Kind::en_ko || kind == Kind::ko_en; }

struct Example {
  LinePair lines;
  std::vector<std::string> contents;  // determine its part
};

Example language_example(Kind kind, std::uint64_t key) {
  Sentence sentence = write_sentence(key);
  Example example;
  for (const Combination& c : sentence.combinations) {
    example.contents.push_back(fmt::format("{}: {}, {}", c.relation, c.first, c.second));
  }
  example.lines = {std::move(sentence.english), std::move(sentence.korean)};
  if (kind == Kind::ko_en) std::swap(example.lines.source, example.lines.target);
  return example;
}

Problem problem_of(Kind kind, std::uint64_t key) {
  switch (kind) {
    case Kind::copy: return copy_problem(key);
    case Kind::reverse: return reverse_problem(key);
    case Kind::sort: return sort_problem(key);
    case Kind::addition: return addition_problem(key);
    case Kind::trees: return tree_problem(key);
    default: return date_problem(key);
  }
}

Example example_of(Kind kind, std::uint64_t key) {
  if (is_language(kind)) return language_example(kind, key);
  Problem problem = problem_of(kind, key);
  return {{std::move(problem.question), std::move(problem.answer)}, {std::move(problem.identity)}};
}

template <class Visit>
void for_each_word(std::string_view line, Visit visit) {
  while (!line.empty()) {
    const std::string_view token = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), token.size() + 1));
    visit(token.substr(0, token.find_last_not_of(".?") + 1));
  }
}

// Draws examples and keeps those that belong to the part being filled.
class Maker {
 public:
  Maker(Kind kind, std::uint64_t seed) : kind_(kind), seed_(seed) {}

  void fill(Part part, Index count, std::vector<LinePair>& lines) {
    const Index last_try = next_ + tries_per_line * (count + 100);
    while (std::ssize(lines) < count) {
      if (next_ == last_try) fail(std::ssize(lines), count);
      Example example = example_of(kind_, random_key(seed_, static_cast<std::uint64_t>(next_++)));
      if (part_of(example.contents, seed_) != part || !is_known(part, example.lines)) continue;
      if (!seen_.insert(example.lines.source).second) continue;
      if (part == Part::train && is_language(kind_)) learn(example.lines);
      lines.push_back(std::move(example.lines));
    }
  }

 private:
  void learn(const LinePair& lines) {
    for (const std::string& line : {lines.source, lines.target}) {
      for_each_word(line, [&](std::string_view word) { words_.emplace(word); });
    }
  }

  // Dev and test contain new combinations of words, but no new words.
  bool is_known(Part part, const LinePair& lines) const {
    if (part == Part::train || !is_language(kind_)) return true;
    bool known = true;
    for (const std::string& line : {lines.source, lines.target}) {
      for_each_word(line, [&](std::string_view word) { known = known && words_.contains(std::string(word)); });
    }
    return known;
  }

  [[noreturn]] void fail(Index found, Index wanted) const {
    throw Error(fmt::format("corpus '{}': found only {} of {}; request fewer, or more training lines", name_of(kind_),
                            counted(found, "line"), wanted));
  }

  Kind kind_;
  std::uint64_t seed_;
  Index next_ = 0;
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> words_;
};

}  // namespace

SideNames side_names(Kind kind) {
  if (kind == Kind::en_ko) return {"en", "ko"};
  if (kind == Kind::ko_en) return {"ko", "en"};
  if (kind == Kind::trees) return {"words", "mrg"};
  return {"source", "target"};
}

Part part_of(const std::vector<std::string>& contents, std::uint64_t seed) {
  Part part = Part::train;
  for (const std::string& content : contents) {
    const double place = uniform(random_key(seed, hash_of(content)), 0);
    if (place >= test_share + dev_share) continue;
    const Part held_out = place < test_share ? Part::test : Part::dev;
    if (part != Part::train && part != held_out) return Part::none;
    part = held_out;
  }
  return part;
}

Corpus make_corpus(Kind kind, const Options& options) {
  Maker maker(kind, options.seed);
  Corpus corpus;
  maker.fill(Part::train, options.train, corpus.train);
  maker.fill(Part::dev, options.dev, corpus.dev);
  maker.fill(Part::test, options.test, corpus.test);
  return corpus;
}

}  // namespace heed::synthetic
