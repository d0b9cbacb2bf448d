#include "decoding/line_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "decoding/cut.h"
#include "decoding/search.h"
#include "heed/error.h"
#include "text/controls.h"
#include "text/sentence_splitter.h"
#include "text/utf8.h"

namespace heed {
namespace {

// Most pieces of a part for models that do not record the lengths seen in training.
constexpr Index unrecorded_length = 512;

// Without trailing spaces, which some tokenizers turn into pieces.
std::string_view trimmed(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t") + 1); }

}  // namespace

LineCodec::LineCodec(TokenizerPair tokenizers, StepModels models, Index max_source_length, bool source_end)
    : tokenizers_(std::move(tokenizers)),
      by_sentences_(max_source_length > 0),
      longest_part_(by_sentences_ ? max_source_length : unrecorded_length),
      source_end_(source_end) {
  for (const StepModel* model : models) {
    const Index most = model->limits().positions;
    if (most < 2) throw Error("the model has one position, room only for </s>; use another model");
    most_pieces_ = std::min(most_pieces_, most - 1);
    longest_part_ = std::min(longest_part_, most - 1);
  }
}

EncodedLine LineCodec::encode(const std::string& line) const {
  EncodedLine encoded;
  const std::string text = replace_invalid_utf8(line);
  if (is_blank(text)) return encoded;
  if (by_sentences_) {
    append_sentences(text, encoded);
  } else {
    append_halves(text, encoded.parts);
  }
  for (Tokens& part : encoded.parts) {
    if (source_end_) part.push_back(end_token);
  }
  return encoded;
}

Tokens LineCodec::encode_whole(const std::string& line) const {
  Tokens tokens = tokenizers_.source->encode(line);
  if (source_end_ || tokens.empty()) tokens.push_back(end_token);
  return tokens;
}

std::span<const int> LineCodec::pieces_of(const Tokens& source) const {
  const bool ended = source_end_ || source.back() == end_token;
  return {source.data(), source.size() - (ended ? 1 : 0)};
}

Tokens LineCodec::encode_target(const std::string& line) const { return tokenizers_.target->encode(line); }

Tokens LineCodec::encode_prefix(const std::string& prefix) const {
  if (find_invalid_utf8(prefix)) throw Error("the prefix is not valid UTF-8");
  Tokens tokens = encode_target(prefix);
  if (std::find(tokens.begin(), tokens.end(), unknown_token) != tokens.end()) {
    throw Error(fmt::format(
        "the prefix '{}' contains a piece that the model does not know; use words of its training data", prefix));
  }
  return tokens;
}

// One part per sentence: a model trained on single sentences drops the others when several come together.
void LineCodec::append_sentences(std::string_view text, EncodedLine& line) const {
  const auto longest = static_cast<std::size_t>(longest_part_);
  if (Tokens whole = tokenizers_.source->encode(text); whole.size() <= longest) {
    if (!whole.empty()) line.parts.push_back(std::move(whole));
    return;
  }
  for (const std::string_view sentence : split_sentences(text)) {
    const std::string_view part = trimmed(sentence);
    Tokens tokens = tokenizers_.source->encode(part);
    if (tokens.size() > longest) {
      line.cut_pieces = std::max(line.cut_pieces, static_cast<Index>(tokens.size()));
      append_halves(part, line.parts);
    } else if (!tokens.empty()) {
      line.parts.push_back(std::move(tokens));
    }
  }
}

void LineCodec::append_halves(std::string_view text, std::vector<Tokens>& parts) const {
  const auto longest = static_cast<std::size_t>(longest_part_);
  Tokens tokens = tokenizers_.source->encode(text);
  if (tokens.empty()) return;
  if (tokens.size() <= longest) {
    parts.push_back(std::move(tokens));
  } else if (const std::size_t cut = cut_position(text); cut > 0) {
    append_halves(text.substr(0, cut), parts);
    append_halves(text.substr(cut), parts);
  } else {
    // A single character of more pieces than fit.
    tokens.resize(longest);
    parts.push_back(std::move(tokens));
  }
}

std::vector<Translation> LineCodec::decode(const EncodedLine& line, std::span<const std::vector<Hypothesis>> found,
                                           const SearchOptions& options) const {
  const std::vector<Tokens>& parts = line.parts;
  if (parts.empty()) return {Translation{}};
  std::size_t count = found[0].size();
  for (const auto& part : found) count = std::min(count, part.size());
  std::vector<Translation> translations(count);
  for (std::size_t i = 0; i < count; ++i) {
    Offset offset;
    for (std::size_t p = 0; p < parts.size(); ++p) append(parts[p], found[p][i], offset, translations[i]);
    const auto length = static_cast<Index>(translations[i].piece_scores.size());
    translations[i].score = translations[i].log_probability / length_penalty(length, options);
  }
  return translations;
}

std::string LineCodec::about_parts(const EncodedLine& line) const {
  const std::size_t count = line.parts.size();
  if (line.cut_pieces == 0)
    return fmt::format("is longer than {} pieces and is translated in {} parts", longest_part_, count);
  const std::string remedy =
      line.cut_pieces > most_pieces_
          ? ""
          : fmt::format("; a max-source-length of {} would keep the sentence whole", line.cut_pieces);
  return fmt::format("has a sentence longer than {} pieces, which is split; the line is translated in {} parts{}",
                     longest_part_, count, remedy);
}

std::string LineCodec::about_unfinished() const {
  return "has a translation that was cut off at the length limit and may repeat itself";
}

std::string LineCodec::decode_text(std::span<const int> tokens) const {
  std::string text = tokenizers_.target->decode(tokens);
  blank_line_breaks(text);
  return text;
}

void LineCodec::append(const Tokens& source, const Hypothesis& hypothesis, Offset& offset,
                       Translation& translation) const {
  const Tokenizer& tokenizer = *tokenizers_.target;
  const std::string text = decode_text(hypothesis.tokens);
  if (!translation.text.empty() && !text.empty()) translation.text += ' ';
  translation.text += text;
  append_alignment(source, hypothesis, offset, translation);
  append_soft_alignment(source, hypothesis, translation);
  for (const std::string& piece : tokenizer.pieces(hypothesis.tokens)) translation.pieces.push_back(piece);
  translation.piece_scores.insert(translation.piece_scores.end(), hypothesis.log_probabilities.begin(),
                                  hypothesis.log_probabilities.end());
  translation.log_probability += hypothesis.log_probability;
  translation.finished = translation.finished && hypothesis.finished;
}

// A piece's word is aligned with the word of the piece that it attends to most; </s> belongs to no word.
void LineCodec::append_alignment(const Tokens& source, const Hypothesis& hypothesis, Offset& offset,
                                 Translation& translation) const {
  if (hypothesis.alignment.empty()) return;
  const std::span<const int> source_pieces = pieces_of(source);
  const std::vector<int> source_words = tokenizers_.source->word_numbers(source_pieces);
  const std::vector<int> target_words = tokenizers_.target->word_numbers(hypothesis.tokens);
  const auto first_piece = static_cast<int>(translation.pieces.size());
  for (std::size_t t = 0; t < hypothesis.tokens.size(); ++t) {
    const auto s = static_cast<std::size_t>(hypothesis.alignment[t]);
    if (s >= source_words.size()) continue;
    translation.piece_alignment.push_back(
        {offset.source_pieces + static_cast<int>(s), first_piece + static_cast<int>(t)});
    const AlignedWords words{offset.source_words + source_words[s], offset.target_words + target_words[t]};
    const auto same = [&](const AlignedWords& other) {
      return other.source == words.source && other.target == words.target;
    };
    if (std::none_of(translation.alignment.begin(), translation.alignment.end(), same)) {
      translation.alignment.push_back(words);
    }
  }
  offset.source_pieces += static_cast<int>(source_pieces.size());
  offset.source_words += source_words.empty() ? 0 : source_words.back() + 1;
  offset.target_words += target_words.empty() ? 0 : target_words.back() + 1;
}

void LineCodec::append_soft_alignment(const Tokens& source, const Hypothesis& hypothesis, Translation& translation) {
  if (hypothesis.attention.empty()) return;
  auto& rows = translation.soft_alignment;
  const std::size_t before = rows.empty() ? 0 : rows[0].size();
  const std::size_t columns = before + source.size();
  for (std::vector<float>& row : rows) row.resize(columns);
  for (auto weights = hypothesis.attention.begin(); weights != hypothesis.attention.end();) {
    std::vector<float>& row = rows.emplace_back(columns);
    const auto end = weights + static_cast<std::ptrdiff_t>(source.size());
    std::copy(weights, end, row.begin() + static_cast<std::ptrdiff_t>(before));
    weights = end;
  }
}

}  // namespace heed
