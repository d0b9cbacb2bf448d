#include "decoding/translator.h"

#include <fmt/format.h>

#include <algorithm>

#include "decoding/cut.h"
#include "heed/error.h"
#include "text/utf8.h"

namespace heed {
namespace {

// The parts of a line among all parts that are searched, and how many of them are still at work.
struct Line {
  std::size_t first_part;
  std::size_t parts;
  std::size_t missing;
};

bool reached_limit(std::span<const std::vector<Hypothesis>> parts) {
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return !part.front().finished; });
}

}  // namespace

Translator::Translator(const Transformer& model, const TokenizerPair& tokenizers, const TranslatorOptions& options,
                       const Workspace& workspace)
    : model_(model), tokenizers_(tokenizers), options_(options), workspace_(workspace) {
  check(options.search);
  if (options.longest_part < 1) throw Error(fmt::format("longest-part is {}; choose 1 or more", options.longest_part));
  const Config& config = model.config();
  if (config.positions != Positions::learned) return;
  if (config.max_positions < 2) throw Error("max-positions is 1: there is room for </s> alone; use another model");
  options_.longest_part = std::min(options_.longest_part, config.max_positions - 1);
}

void Translator::translate(std::span<const std::string> lines, const Emit& emit, const Note& note) const {
  BatchBuilder sources;
  std::vector<Line> places;
  std::vector<std::size_t> line_of_part;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Parts parts = parts_of(lines[i]);
    places.push_back({line_of_part.size(), parts.size(), parts.size()});
    for (const std::vector<int>& part : parts) sources.add(part, {});
    line_of_part.insert(line_of_part.end(), parts.size(), i);
    if (parts.size() > 1) {
      note(static_cast<Index>(i),
           fmt::format("is longer than {} pieces and is translated in {} parts", options_.longest_part, parts.size()));
    }
  }

  std::vector<std::vector<Hypothesis>> found(line_of_part.size());
  std::size_t next = 0;
  const auto emit_known = [&] {
    for (; next < places.size() && places[next].missing == 0; ++next) {
      const auto parts = std::span(found).subspan(places[next].first_part, places[next].parts);
      if (reached_limit(parts)) {
        note(static_cast<Index>(next), "has a translation that was ended at the length limit and may repeat itself");
      }
      emit(static_cast<Index>(next), join(parts));
    }
  };
  emit_known();
  search(model_, sources.batch().source, options_.search, workspace_,
         [&](Index part, std::vector<Hypothesis> hypotheses) {
           found[static_cast<std::size_t>(part)] = std::move(hypotheses);
           --places[line_of_part[static_cast<std::size_t>(part)]].missing;
           emit_known();
         });
}

// The line's tokens, each part with </s>; none for a blank line.
Translator::Parts Translator::parts_of(const std::string& line) const {
  Parts parts;
  const std::string text = replace_invalid_utf8(line);
  if (!is_blank(text)) append_parts(text, parts);
  for (std::vector<int>& part : parts) part.push_back(end_token);
  return parts;
}

void Translator::append_parts(std::string_view text, Parts& parts) const {
  const auto longest = static_cast<std::size_t>(options_.longest_part);
  std::vector<int> tokens = tokenizers_.source->encode(text);
  if (tokens.empty()) return;
  if (tokens.size() <= longest) {
    parts.push_back(std::move(tokens));
  } else if (const std::size_t cut = cut_position(text); cut > 0) {
    append_parts(text.substr(0, cut), parts);
    append_parts(text.substr(cut), parts);
  } else {
    // A single character of more pieces than fit.
    tokens.resize(longest);
    parts.push_back(std::move(tokens));
  }
}

std::string Translator::text_of(const Hypothesis& hypothesis) const {
  const Tokenizer& tokenizer = *tokenizers_.target;
  if (options_.pieces) return fmt::format("{}", fmt::join(tokenizer.pieces(hypothesis.tokens), " "));
  std::string text = tokenizer.decode(hypothesis.tokens);
  // Byte pieces can spell a line break, and one line must stay one.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// Translation i is made of translation i of every part.
std::vector<Translation> Translator::join(std::span<const std::vector<Hypothesis>> parts) const {
  if (parts.empty()) return {Translation{}};
  std::size_t count = parts[0].size();
  for (const auto& part : parts) count = std::min(count, part.size());
  std::vector<Translation> translations(count);
  for (std::size_t i = 0; i < count; ++i) {
    Index length = 0;
    for (const std::vector<Hypothesis>& part : parts) {
      const std::string text = text_of(part[i]);
      if (!translations[i].text.empty() && !text.empty()) translations[i].text += ' ';
      translations[i].text += text;
      translations[i].log_probability += part[i].log_probability;
      length += static_cast<Index>(part[i].tokens.size()) + 1;
    }
    translations[i].score = translations[i].log_probability / length_penalty(length, options_.search.alpha);
  }
  return translations;
}

}  // namespace heed
