#include "corpus_check/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/figures.h"
#include "base/special_tokens.h"
#include "heed/error.h"
#include "text/controls.h"
#include "text/language.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace heed::corpus_check {
namespace {

// In percent. A line may hold names, code and quotations; it is wrong only if nearly all of it is in another language.
constexpr int mostly = 80;
constexpr int a_part = 15;

// Estimated tokens per character for a vocabulary of some tens of thousands: a token covers a few Latin letters, two or
// three syllables of Hangul, or one or two ideographs.
double tokens_of_character(char32_t c) {
  if (c >= 0xac00 && c <= 0xd7a3) return 0.4;
  if ((c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) || c >= 0x20000) return 0.7;
  return 0.22;
}

TextSize sizes_by_character(std::string_view text) {
  TextSize size;
  double tokens = 0.0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    const bool space = c == ' ' || c == '\t' || c == 0xa0 || c == 0x3000;
    if (!space && !in_word) ++size.words;
    in_word = !space;
    ++size.characters;
    tokens += tokens_of_character(c);
  }
  size.tokens = std::max(size.words, static_cast<Index>(std::lround(tokens)));
  return size;
}

// Checks both sides, so that the message covers both.
bool check_encoding(const LenientPair& pair, PairFacts& facts) {
  std::string detail;
  for (const auto& [name, text] : {std::pair("source", &pair.source), std::pair("target", &pair.target)}) {
    if (const auto bad = find_invalid_utf8(*text)) {
      detail += fmt::format("{}{}, byte {}", detail.empty() ? "" : "; ", name, *bad + 1);
    }
  }
  if (!detail.empty()) facts.add(Finding::invalid_utf8, detail);
  return detail.empty();
}

void strip_controls(std::string& text, const char* side, PairFacts& facts) {
  const auto control = find_control(text);
  if (!control) return;
  facts.add(Finding::controls, fmt::format("U+{:04X} in the {}", static_cast<std::uint32_t>(*control), side));
  text = without_controls(text);
}

void check_markup(const LenientPair& pair, PairFacts& facts) {
  const std::string difference = markup_difference(markup(pair.source), markup(pair.target));
  if (!difference.empty()) return facts.add(Finding::markup, difference);
  if (std::string open = unbalanced_markup(pair.source); !open.empty()) {
    facts.add(Finding::unbalanced, std::move(open));
  }
}

}  // namespace

void PairFacts::add(Finding finding, std::string detail) {
  findings.add(finding);
  if (!detail.empty()) details.emplace_back(finding, std::move(detail));
}

Examiner::SideRules Examiner::make_side(const char* name, const std::string& language,
                                        std::shared_ptr<const Tokenizer> tokenizer) {
  if (!language.empty() && !knows_language(language)) {
    throw Error(fmt::format("{}-language is '{}', which the detector does not know; pass a code such as en, de or ko",
                            name, language));
  }
  SideRules side{name, language, std::move(tokenizer), {}};
  if (side.tokenizer == nullptr) return side;
  for (int id = 0; id < side.tokenizer->size(); ++id) {
    const std::string piece = side.tokenizer->piece(id);
    const bool single_byte = piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">");
    side.stands_for_unknown.push_back(id == unknown_token || single_byte);
  }
  return side;
}

Examiner::Examiner(ExamineOptions options)
    : options_(std::move(options)),
      source_(make_side("source", options_.source_language, options_.tokenizers.source)),
      target_(make_side("target", options_.target_language, options_.tokenizers.target)) {}

TextSize Examiner::measure(const std::string& text, const SideRules& side) const {
  TextSize size = sizes_by_character(text);
  if (side.tokenizer == nullptr) return size;
  const std::vector<int> ids = side.tokenizer->encode(text);
  size.tokens = static_cast<Index>(ids.size());
  size.unknown = std::count_if(ids.begin(), ids.end(),
                               [&](int id) { return side.stands_for_unknown[static_cast<std::size_t>(id)]; });
  return size;
}

void Examiner::check_lengths(PairFacts& facts) const {
  const auto [shorter, longer] = std::minmax(facts.source.tokens, facts.target.tokens);
  if (longer > options_.max_length) facts.add(Finding::too_long, counted(longer, "token"));
  if (static_cast<double>(longer) > options_.max_ratio * static_cast<double>(shorter)) {
    facts.add(Finding::ratio, fmt::format("{} to {}", counted(facts.source.tokens, "token"), facts.target.tokens));
  }
}

void Examiner::check_language(const std::string& text, const SideRules& side, PairFacts& facts) const {
  if (side.language.empty()) return;
  const std::vector<LanguageShare> found = detect_languages(text, side.language);
  if (found.empty() || found[0].percent < mostly || same_language(found[0].code, side.language)) return;
  const bool partly = std::any_of(found.begin() + 1, found.end(), [&](const LanguageShare& share) {
    return share.percent >= a_part && same_language(share.code, side.language);
  });
  if (!partly) facts.add(Finding::wrong_language, fmt::format("the {} seems to be '{}'", side.name, found[0].code));
}

PairFacts Examiner::examine(LenientPair& pair) const {
  PairFacts facts;
  if (pair.tabs != 1) facts.add(Finding::tabs, fmt::format("{} tabs", pair.tabs));
  if (!check_encoding(pair, facts) || pair.tabs != 1) return facts;
  strip_controls(pair.source, "source", facts);
  strip_controls(pair.target, "target", facts);
  facts.source = measure(pair.source, source_);
  facts.target = measure(pair.target, target_);
  const bool no_source = is_blank(pair.source);
  const bool no_target = is_blank(pair.target);
  if (no_source || no_target) {
    facts.add(Finding::empty, !no_source ? "target" : !no_target ? "source" : "both");
    return facts;
  }
  // A single name or number is the same in most languages.
  if (facts.source.words > 1 && pair.source == pair.target) facts.add(Finding::identical);
  check_lengths(facts);
  check_language(pair.source, source_, facts);
  check_language(pair.target, target_, facts);
  check_markup(pair, facts);
  if (const Index unknown = facts.source.unknown + facts.target.unknown; unknown > 0) {
    facts.add(Finding::unknown_pieces, counted(unknown, "piece"));
  }
  return facts;
}

}  // namespace heed::corpus_check
