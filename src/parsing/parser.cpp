#include "heed/parser.h"

#include <fmt/format.h>

#include <utility>

#include "base/one_line.h"
#include "decoding/engine.h"
#include "decoding/job.h"
#include "decoding/model_folder.h"
#include "heed/translator.h"
#include "parsing/tree_codec.h"

namespace heed {
namespace {

SearchOptions search_options(const ParseOptions& options) {
  return {.beam = options.beam,
          .alpha = options.alpha,
          .length_penalty = options.length_penalty,
          .n_best = options.n_best,
          .extra_length = options.extra_length};
}

std::vector<Parse> parses_of(const std::vector<Translation>& translations) {
  std::vector<Parse> parses;
  for (const Translation& t : translations) parses.push_back({t.text, t.log_probability, t.score, t.finished});
  return parses;
}

}  // namespace

class Parser::Implementation {
 public:
  Implementation(std::span<const std::filesystem::path> folders, const ModelOptions& options)
      : folders_(load_model_folders(folders, options, ModelTask::parse)),
        models_(step_models(folders_)),
        constrained_(codec(options, Constraint::tree)),
        free_(codec(options, Constraint::none)),
        batch_(static_cast<std::size_t>(options.batch)),
        engine_(models_, threads_of(options), options.batch) {}

  ParseOptions default_options() const {
    const ModelInfo& info = folders_[0].info;
    return {.beam = info.beam, .alpha = info.alpha, .length_penalty = info.length_penalty};
  }
  std::vector<std::string> notes() const { return all_notes(folders_); }

  void parse(const Stream& stream, const ParseOptions& options) {
    if (!stream.next) throw Error("the stream has no function 'next'; set one that fills in sentences to parse");
    if (!stream.emit) throw Error("the stream has no function 'emit'; set one that takes the trees");
    const SearchOptions search = search_options(options);
    check(search);
    std::vector<std::string> sentences;
    const Translator::Stream lines{
        [&](std::vector<Line>& next) {
          sentences.clear();
          if (!stream.next(sentences)) return false;
          for (std::string& sentence : sentences) next.push_back({std::move(sentence)});
          return true;
        },
        [&](std::size_t line, const std::vector<Translation>& found) { stream.emit(line, parses_of(found)); },
        stream.note};
    translate_stream(engine_, batch_, options.constraint == Constraint::tree ? constrained_ : free_, lines, search);
  }

 private:
  TreeCodec codec(const ModelOptions& options, Constraint constraint) const {
    const ModelFolder& first = folders_[0];
    const auto form = find_name<treebank::Form>(first.info.tree_form);
    if (!form) {
      throw Error(fmt::format("the model's config.json has the tree_form '{}'; put its own config.json back",
                              one_line(first.info.tree_form)));
    }
    return {first.tokenizers, *form, models_, options.max_source_length, constraint};
  }

  std::vector<ModelFolder> folders_;
  std::vector<const StepModel*> models_;
  TreeCodec constrained_, free_;
  std::size_t batch_;
  Engine engine_;
};

Parser::Parser(const std::filesystem::path& folder, const ModelOptions& options)
    : Parser(std::span(&folder, 1), options) {}
Parser::Parser(std::span<const std::filesystem::path> folders, const ModelOptions& options)
    : implementation_(std::make_unique<Implementation>(folders, options)) {}
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;
Parser::~Parser() = default;

Parser::Implementation& Parser::implementation() const {
  if (implementation_ == nullptr) throw Error("this Parser was moved from; use the one that it was moved to");
  return *implementation_;
}

ParseOptions Parser::default_options() const { return implementation().default_options(); }

std::vector<std::string> Parser::notes() const { return implementation().notes(); }

Parse Parser::parse(std::string_view sentence, const ParseOptions& options) const {
  const std::string line(sentence);
  return parse(std::span(&line, 1), options).front().front();
}

std::vector<std::vector<Parse>> Parser::parse(std::span<const std::string> sentences,
                                              const ParseOptions& options) const {
  std::vector<std::vector<Parse>> all(sentences.size());
  bool given = false;
  parse({[&](std::vector<std::string>& next) {
           next.assign(sentences.begin(), sentences.end());
           return !std::exchange(given, true);
         },
         [&](std::size_t line, const std::vector<Parse>& parses) { all[line] = parses; },
         {}},
        options);
  return all;
}

void Parser::parse(const Stream& stream, const ParseOptions& options) const { implementation().parse(stream, options); }

}  // namespace heed
