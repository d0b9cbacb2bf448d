#include "heed/parser.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "decoding/translator_case.h"
#include "error_message.h"
#include "model/files.h"
#include "model/model_info.h"
#include "text/utf8.h"
#include "trees/linearise.h"
#include "trees/tree.h"

namespace heed {
namespace {

using treebank::Form;
using treebank::Tree;
using namespace std::string_view_literals;

// A random model that knows a few words, brackets and tags, in its own folder.
struct ParserCase {
  explicit ParserCase(Form form = Form::tags, Config config = small_config()) {
    const Texts words{"the cat sat on a mat . , ( )"};
    const Texts symbols{form == Form::short_ends ? "(S (NP (VP DT NN NN/1 VB ./2"
                        : form == Form::xx       ? "(S )S (NP )NP (VP )VP XX"
                                                 : "(S )S (NP )NP (VP )VP DT NN VB ."};
    const TokenizerPair tokenizers{train_tokenizer({.kind = TokenizerKind::space}, words),
                                   train_tokenizer({.kind = TokenizerKind::space}, symbols)};
    config.tie = Tie::target;
    config.source_vocab = tokenizers.source->size();
    config.target_vocab = tokenizers.target->size();
    Transformer model(config, Purpose::inference);
    set_values(model, formula_parameters(config));
    std::vector<float> values(model.values().begin(), model.values().end());
    ModelInfo info{config, "en", ""};
    info.task = ModelTask::parse;
    info.tree_form = name_of(form);
    info.beam = 4;
    write_info(folder.path(), info);
    save_tokenizers(tokenizers, folder.path());
    write_weights(folder / "model.safetensors", layout_of(config), {{"", values}}, tokenizer_facts(tokenizers));
  }

  Parser load(const ModelOptions& options = {.threads = 1}) const { return Parser(folder.path(), options); }

  TestFolder folder;
};

Tree tree_of(const Parse& parse) {
  Tree tree;
  const auto flaw = treebank::parse_tree(parse.tree, tree);
  EXPECT_FALSE(flaw) << parse.tree << ": " << flaw->text;
  return tree;
}

// Lines of anything: words, brackets, controls, bytes that are not UTF-8.
Texts hostile_lines(std::size_t count) {
  constexpr std::array parts{"the"sv,  "cat"sv, "("sv, ")"sv,      "((x)"sv,   " "sv,     "\t"sv,     "\r"sv,
                             "\xff"sv, "\0x"sv, "."sv, "\u2028"sv, "\u0085"sv, "-LRB-"sv, "한국어"sv, "</s>"sv};
  Texts lines;
  std::uint64_t counter = 0;
  const auto below = [&](std::size_t bound) { return random_key(7, counter++) % bound; };
  for (std::size_t i = 0; i < count; ++i) {
    std::string& line = lines.emplace_back();
    for (std::size_t n = below(12); n > 0; --n)
      line.append(parts[below(parts.size())]).append(below(3) == 0 ? "" : " ");
  }
  return lines;
}

// The words of a line by another way: byte by byte.
Texts plain_words(const std::string& line) {
  Texts words(1);
  const std::string text = replace_invalid_utf8(line);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    const bool is_break = rest.starts_with("\u2028") || rest.starts_with("\u0085");
    if (is_break) i += rest.starts_with("\u2028") ? 2 : 1;
    if (is_break || static_cast<unsigned char>(text[i]) <= 0x20) {
      words.emplace_back();
    } else {
      words.back() += text[i] == '(' ? "-LRB-" : text[i] == ')' ? "-RRB-" : std::string(1, text[i]);
    }
  }
  std::erase(words, "");
  return words;
}

TEST(Parser, AnyLineBecomesATreeWithItsWords) {
  const Texts lines = hostile_lines(120);
  for (const Form form : {Form::tags, Form::xx, Form::short_ends}) {
    const ParserCase c(form);
    const Parser parser = c.load();
    for (const bool constrain : {true, false}) {
      ParseOptions options = parser.default_options();
      options.constraint = constrain ? Constraint::tree : Constraint::none;
      options.beam = 2;
      options.extra_length = 40;
      const auto parses = parser.parse(lines, options);
      ASSERT_EQ(parses.size(), lines.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const Parse& best = parses[i].front();
        EXPECT_EQ(best.tree.find('\n'), std::string::npos);
        const Tree tree = tree_of(best);
        EXPECT_EQ(words_of(tree), plain_words(lines[i])) << lines[i];
        if (!tree.empty()) {
          EXPECT_TRUE(tree.has_top());
        }
        if (constrain) {
          EXPECT_TRUE(best.well_formed) << best.tree;
        }
      }
    }
  }
}

TEST(Parser, WordsStayInOrderAndBracketsAreSpelt) {
  const ParserCase c;
  const Tree tree = tree_of(c.load().parse("the  (cat)\tsat ."));
  EXPECT_EQ(words_of(tree), (Texts{"the", "-LRB-cat-RRB-", "sat", "."}));
}

TEST(Parser, BlankLinesStayBlank) {
  const ParserCase c;
  const Parser parser = c.load();
  EXPECT_EQ(parser.parse("").tree, "");
  EXPECT_EQ(parser.parse(" \t ").tree, "");
}

TEST(Parser, ALineThatIsTooLongIsParsedInPartsUnderOneRoot) {
  const ParserCase c;
  const Parser parser = c.load({.threads = 1, .max_source_length = 6});
  Texts notes;
  std::string line = "the";
  for (int i = 0; i < 19; ++i) line += " cat";
  std::vector<Parse> found;
  bool given = false;
  parser.parse({[&](Texts& next) {
                  next = {line};
                  return !std::exchange(given, true);
                },
                [&](std::size_t, const std::vector<Parse>& parses) { found = parses; },
                [&](std::size_t, const std::string& note) { notes.push_back(note); }},
               parser.default_options());
  const Tree tree = tree_of(found.at(0));
  EXPECT_EQ(words_of(tree).size(), 20u);
  EXPECT_EQ(tree.nodes[1].label, "S");
  EXPECT_EQ(tree.nodes[1].end, tree.nodes.size());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "has 20 words and is parsed in 4 parts: a part has at most 6 words and 6 pieces");
}

TEST(Parser, LearnedPositionsLimitParts) {
  Config config = small_config();
  config.positions = Positions::learned;
  config.max_positions = 16;
  const ParserCase c(Form::tags, config);
  const Tree tree = tree_of(c.load().parse("the cat sat on a mat . the cat sat on a mat ."));
  EXPECT_EQ(words_of(tree).size(), 14u);
}

TEST(Parser, TreesAreTheSameInAnyBatchAndOnAnyThreads) {
  const ParserCase c;
  const Texts lines = hostile_lines(60);
  const Parser one = c.load({.threads = 1, .batch = 1});
  const Parser many = c.load({.threads = 3, .batch = 16});
  const ParseOptions options = one.default_options();
  const auto a = one.parse(lines, options);
  const auto b = many.parse(lines, options);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(a[i][0].tree, b[i][0].tree);
    EXPECT_EQ(a[i][0].log_probability, b[i][0].log_probability);
  }
}

TEST(Parser, NBestTreesDifferAndAreInOrder) {
  for (const Form form : {Form::tags, Form::xx, Form::short_ends}) {
    const ParserCase c(form);
    const Parser parser = c.load();
    ParseOptions options = parser.default_options();
    EXPECT_EQ(options.beam, 4);
    options.beam = options.n_best = 8;
    const Texts lines{"the cat sat ."};
    const auto trees = parser.parse(lines, options).at(0);
    ASSERT_EQ(trees.size(), 8u);
    std::set<std::string> different;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      if (i > 0) {
        EXPECT_GE(trees[i - 1].score, trees[i].score);
      }
      EXPECT_TRUE(different.insert(trees[i].tree).second) << trees[i].tree;
    }
  }
}

TEST(Parser, ModelsOfAnotherTaskAreNamed) {
  const ParserCase c;
  EXPECT_NE(error_message([&] {
              Translator(c.folder.path());
            }).find("is a model to parse, not to translate; use 'heed parse'"),
            std::string::npos);
  TranslatorCase translator;
  translator.write(translator.folder / "model");
  EXPECT_NE(error_message([&] {
              Parser(translator.folder / "model");
            }).find("is a model to translate, not to parse; use 'heed translate'"),
            std::string::npos);
}

TEST(Parser, AnUnknownFormIsNamed) {
  const ParserCase c;
  ModelInfo info = read_info(c.folder.path());
  info.tree_form = "other";
  write_info(c.folder.path(), info);
  EXPECT_NE(error_message([&] { c.load(); }).find("other"), std::string::npos);
}

}  // namespace
}  // namespace heed
